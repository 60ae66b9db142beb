package io.fjordmq.broker;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.cluster.membership.Members;
import io.fjordmq.range.RangeDescriptor;
import java.util.Collection;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Whether messages that have to be stored are taken: while in each range a majority of the voters
 * has room, for it takes the disks of a majority. {@link #look} may be called by any thread and
 * does not block.
 */
final class DiskCapacity {
  private final NodeId self;
  private final BooleanSupplier hereIsRoom;
  private final Supplier<Members> members;
  private final Supplier<Collection<RangeDescriptor>> ranges;
  private volatile boolean enough = true;

  /**
   * @param ranges those that messages are stored in
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

  /** As {@link #look} saw it. */
  boolean isEnough() {
    return enough;
  }

  void look() {
    enough = ranges.get().stream().allMatch(this::hasRoom);
  }

  private boolean hasRoom(RangeDescriptor range) {
    Collection<NodeId> voters = range.replicas().voters();
    // Voters that are away are another matter: the message waits for them.
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
