package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The status of one replica.
 *
 * @param node node that holds the replica
 * @param descriptor the descriptor according to its state; its replica set is that of the range's
 *     creation or last split
 * @param leading whether the replica serves clients
 * @param appliedIndex last entry in its state
 * @param clockMillis clock of the range, in milliseconds since the epoch: the time of its entries
 * @param logBytesSinceCheckpoint bytes of log that a restart would have to apply again
 * @param senders number of clients that it remembers
 * @param group status of the Raft group; null while the replica is closed
 * @param merging set while the range is frozen, otherwise null
 * @param failure why it is halted; null if it is in service
 * @param broken true if reopening does not help: if the other replicas have a majority, this one
 *     will be replaced by an empty replica, which gets everything from them
 */
public record ReplicaStatus(
    NodeId node,
    RangeDescriptor descriptor,
    boolean leading,
    long appliedIndex,
    long clockMillis,
    long logBytesSinceCheckpoint,
    int senders,
    @Nullable GroupStatus group,
    @Nullable Merging merging,
    @Nullable String failure,
    boolean broken) {

  /** Creates the status of a replica that is not broken. */
  public ReplicaStatus(
      NodeId node,
      RangeDescriptor descriptor,
      boolean leading,
      long appliedIndex,
      long clockMillis,
      long logBytesSinceCheckpoint,
      int senders,
      @Nullable GroupStatus group,
      @Nullable Merging merging,
      @Nullable String failure) {
    this(
        node,
        descriptor,
        leading,
        appliedIndex,
        clockMillis,
        logBytesSinceCheckpoint,
        senders,
        group,
        merging,
        failure,
        false);
  }

  ReplicaStatus withBroken(boolean nowBroken) {
    return nowBroken == broken
        ? this
        : new ReplicaStatus(
            node,
            descriptor,
            leading,
            appliedIndex,
            clockMillis,
            logBytesSinceCheckpoint,
            senders,
            group,
            merging,
            failure,
            nowBroken);
  }

  /**
   * The range is frozen to be merged into its left neighbor.
   *
   * @param left the neighbor
   * @param leftVersion epoch version of the neighbor that the freeze is valid for
   * @param durable whether the freeze survives a crash of this node
   */
  public record Merging(RangeId left, long leftVersion, boolean durable) {}

  /** The role in its group, as far as the replica knows. */
  public enum Role {
    /** Serves clients and proposes entries. */
    LEADER,
    /** Votes in elections and counts towards the majority. */
    VOTER,
    /** Only receives the log. */
    LEARNER,
    /** Not a member, either not yet or no longer; or closed, so that the role is unknown. */
    NONE
  }

  public Role role() {
    if (leading) {
      return Role.LEADER;
    } else if (voters().contains(node)) {
      return Role.VOTER;
    }
    return learners().contains(node) ? Role.LEARNER : Role.NONE;
  }

  /** Returns the voters of the group, as far as the replica knows; empty while it is closed. */
  public Set<NodeId> voters() {
    return group == null ? Set.of() : group.replicas().voters();
  }

  /** Returns the learners of the group, as far as the replica knows; empty while it is closed. */
  public Set<NodeId> learners() {
    return group == null ? Set.of() : group.replicas().learners();
  }

  /**
   * Returns how far its clock is ahead of cluster time; 0 if no further than a leader change can
   * explain.
   */
  public long aheadMillis(long clusterMillis) {
    long ahead = clockMillis - clusterMillis;
    return ahead < RangeState.MIN_RESET_MILLIS ? 0 : ahead;
  }

  /**
   * Returns the number of entries in its log that it has not applied; the node does not know how
   * many other replicas have.
   */
  public long lag() {
    return group == null ? 0 : Math.max(0, group.lastIndex() - group.appliedIndex());
  }
}
