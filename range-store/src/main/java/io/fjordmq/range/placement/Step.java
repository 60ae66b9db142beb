package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** One thing to be done for one range. */
sealed interface Step {
  RangeId range();

  /** All ranges that it is about; nothing else is done for any of them meanwhile. */
  default Set<RangeId> ranges() {
    return Set.of(range());
  }

  /** The metadata shall say what the group's replicas are. */
  record Publish(RangeId range, ReplicaSet replicas) implements Step {}

  /**
   * The metadata shall say what has become of a range, all at once.
   *
   * @param shapes of the ranges that there are now in place of those that were published
   * @param gone ranges that were published and became part of others
   */
  record Reshape(RangeId range, List<RangeDescriptor> shapes, Set<RangeId> gone) implements Step {
    @Override
    public Set<RangeId> ranges() {
      Set<RangeId> all = new HashSet<>(gone);
      all.add(range);
      shapes.forEach(shape -> all.add(shape.id()));
      return all;
    }
  }

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

  /** The leader shall let the range stand still, so that its left neighbour can take it in. */
  record Freeze(RangeId range, NodeId leader, RangeDescriptor right, RangeDescriptor left)
      implements Step {
    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, left.id());
    }
  }

  /**
   * The leader shall let the range take in the one that follows.
   *
   * @param replicas of both, each of which stands still
   */
  record Absorb(
      RangeId range,
      NodeId leader,
      RangeDescriptor left,
      RangeDescriptor right,
      ReplicaSet replicas)
      implements Step {
    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, right.id());
    }
  }

  /**
   * The leader shall give the range another version: a merge is given up.
   *
   * @param left as it is
   * @param right the range that stands still for it
   */
  record Renew(RangeId range, NodeId leader, RangeDescriptor left, RangeId right, String why)
      implements Step {
    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, right);
    }
  }

  /** The leader shall let the range go on that stands still for a merge that was given up. */
  record Thaw(RangeId range, NodeId leader) implements Step {}

  /**
   * The node shall remove what it has of a range that became part of others.
   *
   * @param heirs who has its keys now
   */
  record RemoveRemains(RangeId range, NodeId node, Set<RangeId> heirs) implements Step {}
}
