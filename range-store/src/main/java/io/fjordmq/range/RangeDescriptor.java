package io.fjordmq.range;

import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;

/**
 * Describes a range: the keys it holds and the nodes that replicate it. Part of the range's
 * replicated state, and registered in the metadata so that clients can find the range.
 */
public record RangeDescriptor(
    RangeId id, KeyInterval interval, RangeEpoch epoch, ReplicaSet replicas) {

  /** Returns the Raft group that replicates the range. */
  public GroupId group() {
    return new GroupId(id.toString());
  }
}
