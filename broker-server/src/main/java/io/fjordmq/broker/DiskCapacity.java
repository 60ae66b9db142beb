package io.fjordmq.broker;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Decides whether the node accepts messages that have to be stored: only while a majority of the
 * voters of every range has free disk space. {@link #look} does not block. Thread-safe.
 */
final class DiskCapacity {
  private final NodeId self;
  private final BooleanSupplier hereIsRoom;
  private final Supplier<Members> members;
  private final Supplier<Collection<RangeDescriptor>> ranges;
  private volatile boolean enough = true;

  /**
   * @param ranges the ranges that store messages
   */
  DiskCapacity(
      NodeId self,
      BooleanSupplier hereIsRoom,
      Supplier<Members> members,
      Supplier<Collection<RangeDescriptor>> ranges) {
    this.self = self;
    this.hereIsRoom = hereIsRoom;
    this.members = members;
    this.ranges = ranges;
  }

  /** The result of the latest {@link #look}. */
  boolean isEnough() {
    return enough;
  }

  /** Re-evaluates the nodes and ranges. */
  void refresh() {
    enough = ranges.get().stream().allMatch(this::hasRoom);
  }

  private boolean hasRoom(RangeDescriptor range) {
    Collection<NodeId> voters = range.replicas().voters();
    // A voter that is down does not count as full: messages wait until it is back.
    return voters.stream().noneMatch(this::isFull)
        || voters.stream().filter(this::takesMore).count() * 2 > voters.size();
  }

  private boolean isFull(NodeId voter) {
    Member member = members.get().find(voter);
    return voter.equals(self)
        ? !hereIsRoom.getAsBoolean()
        : member != null && member.state() == Member.State.FULL;
  }

  private boolean takesMore(NodeId voter) {
    Member member = members.get().find(voter);
    return voter.equals(self)
        ? hereIsRoom.getAsBoolean()
        : member != null && member.isAlive() && member.state() != Member.State.FULL;
  }
}
