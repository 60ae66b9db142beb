package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/** One step that placement takes for one range. */
sealed interface Step {
  RangeId range();

  StepKind kind();

  /** Returns all ranges involved; no other step is taken for any of them until it ends. */
  default Set<RangeId> ranges() {
    return Set.of(range());
  }

  /** Publish the group's replicas in the metadata. */
  record Publish(RangeId range, ReplicaSet replicas) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.PUBLISH;
    }
  }

  /**
   * Publish the result of a split or merge in the metadata, in one write.
   *
   * @param current the current ranges, which replace the published ones
   * @param merged published ranges that were merged into others
   */
  record PublishRanges(RangeId range, List<RangeDescriptor> current, Set<RangeId> merged)
      implements Step {
    @Override
    public StepKind kind() {
      return StepKind.PUBLISH;
    }

    @Override
    public Set<RangeId> ranges() {
      Set<RangeId> all = new HashSet<>(merged);
      all.add(range);
      current.forEach(range -> all.add(range.id()));
      return all;
    }
  }

  /**
   * Have the leader split the range, if it still has the epoch version that the plan is based on.
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Split(RangeId range, NodeId leader, long epochVersion, byte[] key) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.SPLIT;
    }

    @Override
    public String toString() {
      return "Split[range=%s, leader=%s, key=%s]"
          .formatted(range, leader, HexFormat.of().formatHex(key));
    }
  }

  /**
   * Have the node create an empty replica, so that the group can add it.
   *
   * @param members members of the group that the replica is given; without the node
   */
  record Ensure(RangeId range, NodeId node, ReplicaSet members) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.CREATE_REPLICA;
    }
  }

  /** Have the leader change the group from one replica set to the other. */
  record Change(RangeId range, NodeId leader, ReplicaSet from, ReplicaSet to) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.CHANGE_REPLICAS;
    }
  }

  /** Have the leader hand leadership to another voter. */
  record Transfer(RangeId range, NodeId leader, NodeId target) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.TRANSFER_LEADERSHIP;
    }
  }

  /**
   * Have the node remove its replica, after the leader has confirmed the group's replicas.
   *
   * @param members members of the group; without the node
   * @param asOfIndex log index at which the group has these members
   */
  record Drop(RangeId range, NodeId node, NodeId leader, ReplicaSet members, long asOfIndex)
      implements Step {
    @Override
    public StepKind kind() {
      return StepKind.REMOVE_REPLICA;
    }
  }

  /** Allow the node to have a replica again: no replica lists the old one as a member. */
  record Forget(RangeId range, NodeId node) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.FORGET_REPLICA;
    }
  }

  /** Have the leader freeze the range, so that its left neighbor can absorb it. */
  record Freeze(RangeId range, NodeId leader, RangeDescriptor right, RangeDescriptor left)
      implements Step {
    @Override
    public StepKind kind() {
      return StepKind.FREEZE;
    }

    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, left.id());
    }
  }

  /**
   * Have the leader's range absorb the next one.
   *
   * @param replicas replicas of both ranges, all of which are frozen
   */
  record Absorb(
      RangeId range,
      NodeId leader,
      RangeDescriptor left,
      RangeDescriptor right,
      ReplicaSet replicas)
      implements Step {
    @Override
    public StepKind kind() {
      return StepKind.MERGE;
    }

    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, right.id());
    }
  }

  /**
   * Have the leader raise the range's epoch version: a merge is abandoned.
   *
   * @param left the range as it is
   * @param right the range that is frozen for the merge
   */
  record BumpEpoch(RangeId range, NodeId leader, RangeDescriptor left, RangeId right, String reason)
      implements Step {
    @Override
    public StepKind kind() {
      return StepKind.ABANDON_MERGE;
    }

    @Override
    public Set<RangeId> ranges() {
      return Set.of(range, right);
    }
  }

  /** Have the leader unfreeze a range whose merge was abandoned. */
  record Unfreeze(RangeId range, NodeId leader) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.UNFREEZE;
    }
  }

  /**
   * Have the node remove its stale replica of a range that was merged into others.
   *
   * @param successors the ranges that hold its keys now
   */
  record RemoveStaleReplica(RangeId range, NodeId node, Set<RangeId> successors) implements Step {
    @Override
    public StepKind kind() {
      return StepKind.REMOVE_STALE_REPLICA;
    }
  }
}
