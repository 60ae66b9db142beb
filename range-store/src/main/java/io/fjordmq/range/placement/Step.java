package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeId;

/** One thing to be done for one range. */
sealed interface Step {
  RangeId range();

  /** The metadata shall say what the group's replicas are. */
  record Publish(RangeId range, ReplicaSet replicas) implements Step {}

  /**
   * The node shall have an empty replica, so that the group can take it in.
   *
   * @param members whom the replica is told to be of the group; without the node
   */
  record Ensure(RangeId range, NodeId node, ReplicaSet members) implements Step {}

  /** The leader shall change the group from one set to the other. */
  record Change(RangeId range, NodeId leader, ReplicaSet from, ReplicaSet to) implements Step {}

  /** The leader shall hand leadership to another voter. */
  record Transfer(RangeId range, NodeId leader, NodeId target) implements Step {}

  /**
   * The node shall remove its replica, once the leader has confirmed the group's replicas.
   *
   * @param members of the group; without the node
   * @param asOfIndex log index as of which they are so
   */
  record Drop(RangeId range, NodeId node, NodeId leader, ReplicaSet members, long asOfIndex)
      implements Step {}

  /** The node may have a replica again: nobody counts the one that it had. */
  record Forget(RangeId range, NodeId node) implements Step {}
}
