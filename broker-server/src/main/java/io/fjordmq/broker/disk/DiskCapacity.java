package io.fjordmq.broker.disk;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Decides whether the node accepts messages that must be stored. It does so only while, in every
 * range, a majority of voters has free disk space. Does not block. Thread-safe.
 */
final class DiskCapacity {
  private final NodeId self;
  private final BooleanSupplier hasLocalSpace;
  private final Supplier<Members> members;
  private final Supplier<Collection<RangeDescriptor>> ranges;

  /**
   * @param ranges the ranges that store messages
   */
  DiskCapacity(
      NodeId self,
      BooleanSupplier hasLocalSpace,
      Supplier<Members> members,
      Supplier<Collection<RangeDescriptor>> ranges) {
    this.self = self;
    this.hasLocalSpace = hasLocalSpace;
    this.members = members;
    this.ranges = ranges;
  }

  /** Whether a majority of the voters of every range has free disk space now. */
  boolean isEnough() {
    return ranges.get().stream().allMatch(this::hasFreeSpace);
  }

  private boolean hasFreeSpace(RangeDescriptor range) {
    Collection<NodeId> voters = range.replicas().voters();
    // A voter that is down does not count as full; messages wait until it is back.
    return voters.stream().noneMatch(this::isFull)
        || voters.stream().filter(this::canStore).count() * 2 > voters.size();
  }

  private boolean isFull(NodeId voter) {
    Member member = members.get().find(voter);
    return voter.equals(self)
        ? !hasLocalSpace.getAsBoolean()
        : member != null && member.state() == Member.State.FULL;
  }

  private boolean canStore(NodeId voter) {
    Member member = members.get().find(voter);
    return voter.equals(self)
        ? hasLocalSpace.getAsBoolean()
        : member != null && member.isAlive() && member.state() != Member.State.FULL;
  }
}
