package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;

/** The answers of a replica that cannot serve a request at the moment. */
final class RangeRefusals {
  static final RangeResult NO_TIME =
      new RangeResult.Busy("this node does not know the cluster time at the moment");

  private RangeRefusals() {}

  static RangeResult unconfirmed(RangeId id, Throwable failure) {
    if (failure instanceof ConsensusException cause && cause.kind() == Kind.FAILED) {
      return new RangeResult.StorageFailed(String.valueOf(cause.getMessage()));
    }
    // The caller should look for the leader on another node.
    return new RangeResult.Unavailable(
        "leader of range " + id + " was not confirmed for a read: " + failure);
  }
}
