package io.fjordmq.range;

import io.fjordmq.cluster.consensus.GroupId;
import io.fjordmq.cluster.consensus.ReplicaSet;

/**
 * What a range is: which keys it holds and who replicates it. Part of its replicated state, and
 * registered in the cluster's metadata so that clients find it.
 */
public record RangeDescriptor(
    RangeId id, KeyInterval interval, RangeEpoch epoch, ReplicaSet replicas) {

  /** The Raft group that replicates the range. */
  public GroupId group() {
    return new GroupId(id.toString());
  }
}
