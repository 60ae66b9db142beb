package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;

/** The responses of a replica that currently cannot serve a request. */
final class RangeRefusals {
  static final RangeResult CLUSTER_TIME_UNKNOWN =
      new RangeResult.Busy("cluster time is not known on this node yet");

  private RangeRefusals() {}

  static RangeResult unconfirmed(RangeId id, Throwable failure) {
    if (failure instanceof ConsensusException cause && cause.kind() == Kind.FAILED) {
      return new RangeResult.StorageFailed(String.valueOf(cause.getMessage()));
    }
    // The caller should try another node.
    return new RangeResult.Unavailable(
        "leader of range " + id + " was not confirmed for a read: " + failure);
  }
}
