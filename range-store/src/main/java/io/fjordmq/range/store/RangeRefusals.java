package io.fjordmq.range.store;

import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusException.Kind;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeResult;

/** What a replica answers when it cannot do what it is asked for at the moment. */
final class RangeRefusals {
  static final RangeResult NO_TIME =
      new RangeResult.Busy("this node does not know the cluster time at the moment");

  private RangeRefusals() {}

  static RangeResult unconfirmed(RangeId id, Throwable failure) {
    if (failure instanceof ConsensusException cause && cause.kind() == Kind.FAILED) {
      return new RangeResult.StorageFailed(String.valueOf(cause.getMessage()));
    }
    // The caller should look for the leader on another node.
    return new RangeResult.Unavailable("range " + id + " confirmed no read: " + failure);
  }
}
