package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.ConsensusHost;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Splits a range as its replica applies the split entry (decision 0025). Used by the apply thread.
 */
final class RangeSplit {
  /*
   * The new range's group is created first and is durable; the rows of both ranges are written in
   * one batch. After a crash between these two writes there is a group that has never taken part in
   * anything, and the entry is applied again.
   */
  private final NodeId self;
  private final ConsensusHost host;
  private final KvSpace space;

  /**
   * A split that was applied.
   *
   * @param left the remaining range
   * @param right the new range
   * @param hasReplica whether this node has a replica of the new range
   */
  record AppliedSplit(RangeDescriptor left, RangeDescriptor right, boolean hasReplica)
      implements RangeChange {
    @Override
    public RangeDescriptor range() {
      return left;
    }
  }

  RangeSplit(NodeId self, ConsensusHost host, KvSpace space) {
    this.self = self;
    this.host = host;
    this.space = space;
  }

  /**
   * Returns the ranges after the split; null if the entry is for another version of the range, or
   * the split is not possible.
   */
  static @Nullable AppliedSplit plan(RangeDescriptor range, RangeEntry.Split split) {
    KeyInterval held = range.interval();
    byte[] key = split.key();
    if (split.epochVersion() != range.epoch().version()
        || !held.contains(key)
        || Arrays.equals(held.start(), key)) {
      return null;
    }
    RangeEpoch next = new RangeEpoch(range.epoch().version() + 1, range.epoch().replicas());
    ReplicaSet replicas = split.replicas();
    return new AppliedSplit(
        new RangeDescriptor(range.id(), new KeyInterval(held.start(), key), next, replicas),
        new RangeDescriptor(
            new RangeId(range.id().store(), split.number()),
            new KeyInterval(key, held.end()),
            next,
            replicas),
        false);
  }

  /**
   * Creates the new range's group and adds the rows of both ranges except for the parent's
   * progress.
   *
   * @return null if the range is not split
   * @throws KvException if the group cannot be created
   */
  @Nullable AppliedSplit apply(
      RangeState state, RangeEntry.Split split, KvWriter rows, KvBatch batch) {
    AppliedSplit planned = plan(state.descriptor(), split);
    if (planned == null || state.frozen() != null) {
      return null;
    }
    RangeDescriptor right = planned.right();
    boolean hasReplica = isMember(right) && !wasHeldLocally(right);
    if (hasReplica) {
      createGroup(right);
      RangeState.create(right, RangeState.INITIAL_LOG_INDEX, state.clockMillis(), batch);
    } else {
      KeyInterval movedAway = right.interval();
      rows.deleteRange(RangeKeys.data(movedAway.start()), RangeKeys.dataEnd(movedAway.end()));
    }
    state.saveSplit(planned.left(), right, rows);
    return new AppliedSplit(planned.left(), right, hasReplica);
  }

  private boolean isMember(RangeDescriptor range) {
    return range.replicas().voters().contains(self) || range.replicas().learners().contains(self);
  }

  /**
   * Returns whether this node has held a replica of the range that was removed or merged. A new
   * replica would then lack a log that other nodes may rely on, or the range would be created a
   * second time.
   */
  private boolean wasHeldLocally(RangeDescriptor range) {
    RangeKeys keys = new RangeKeys(range.id().number());
    return space.latest().get(keys.removing()) != null
        || space.latest().get(keys.absorbed()) != null;
  }

  private void createGroup(RangeDescriptor range) {
    try {
      host.create(range.group(), range.replicas(), RangeState.INITIAL_LOG_INDEX);
    } catch (ConsensusException e) {
      throw cannotCreate(range, e);
    }
  }

  /**
   * Returns whether this node lacks a replica of the range that it would have if it had applied the
   * split.
   *
   * @param appliedVersion epoch version of the parent up to which this node has seen splits
   */
  boolean isMissing(RangeDescriptor child, long appliedVersion) {
    return child.epoch().version() > appliedVersion
        && isMember(child)
        && !wasHeldLocally(child)
        && !isLocal(child);
  }

  /**
   * Adds a replica of each range that is missing because a snapshot of its parent skipped the
   * split. A replica whose rows came with the snapshot is the same as one created by the split; the
   * others are empty. An empty replica starts with a group that excludes this node: it votes, but
   * cannot become a candidate.
   *
   * @param children children of the parent
   * @param newChildren the missing children whose rows came with the snapshot
   * @param appliedVersion epoch version of the parent up to which this node has seen splits
   * @return the ranges that have a replica on this node now
   */
  List<RangeDescriptor> addSkipped(
      List<RangeDescriptor> children,
      List<NewSplitChild> newChildren,
      long appliedVersion,
      KvBatch batch) {
    List<RangeDescriptor> added = new ArrayList<>();
    for (NewSplitChild child : newChildren) {
      addNewChild(child, batch);
      added.add(child.range());
    }
    children.stream()
        .filter(child -> !added.contains(child) && isMissing(child, appliedVersion))
        .map(this::withoutSelf)
        .filter(child -> !child.replicas().voters().isEmpty())
        .forEach(
            child -> {
              addEmpty(child, batch);
              added.add(child);
            });
    return added;
  }

  private void addNewChild(NewSplitChild child, KvBatch batch) {
    destroyGroup(child.range());
    createGroup(child.range());
    RangeKeys keys = new RangeKeys(child.range().id().number());
    batch.put(keys.descriptor(), RangeDescriptorCodec.encode(child.range()));
    batch.put(keys.progress(), child.progress());
  }

  /** Destroys a group without rows, which has never taken part in anything. */
  private void destroyGroup(RangeDescriptor range) {
    try {
      if (host.groups().contains(range.group())) {
        host.destroy(range.group());
      }
    } catch (ConsensusException e) {
      throw cannotCreate(range, e);
    }
  }

  private boolean isLocal(RangeDescriptor range) {
    return space.latest().get(new RangeKeys(range.id().number()).descriptor()) != null;
  }

  private RangeDescriptor withoutSelf(RangeDescriptor range) {
    ReplicaSet all = range.replicas();
    return new RangeDescriptor(
        range.id(),
        range.interval(),
        range.epoch(),
        new ReplicaSet(without(all.voters()), without(all.learners())));
  }

  private Set<NodeId> without(Set<NodeId> nodes) {
    Set<NodeId> others = new HashSet<>(nodes);
    others.remove(self);
    return others;
  }

  private void addEmpty(RangeDescriptor child, KvBatch batch) {
    destroyGroup(child);
    try {
      host.create(child.group(), child.replicas());
    } catch (ConsensusException e) {
      throw cannotCreate(child, e);
    }
    RangeState.create(child, batch);
  }

  private static KvException cannotCreate(RangeDescriptor range, ConsensusException cause) {
    return new KvException(
        KvException.Kind.IO_ERROR, "cannot create the group of range " + range.id(), cause);
  }
}
