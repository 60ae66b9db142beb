package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.HexFormat;
import java.util.List;

/** One thing to be done for one range. */
sealed interface Step {
  RangeId range();

  /** The metadata shall say what the group's replicas are. */
  record Publish(RangeId range, ReplicaSet replicas) implements Step {}

  /**
   * The metadata shall say what has become of a range, all at once.
   *
   * @param shapes of the range and of those that were split off; together they hold what it held
   */
  record Reshape(RangeId range, List<RangeDescriptor> shapes) implements Step {}

  /** The leader shall split the range, if it still has the shape that was looked at. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Split(RangeId range, NodeId leader, long epochVersion, byte[] key) implements Step {
    @Override
    public String toString() {
      return "Split[range=%s, leader=%s, key=%s]"
          .formatted(range, leader, HexFormat.of().formatHex(key));
    }
  }

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
