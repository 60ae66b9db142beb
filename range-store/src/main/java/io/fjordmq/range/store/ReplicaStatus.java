package io.fjordmq.range.store;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Figures of one replica.
 *
 * @param node that holds it
 * @param descriptor as in its state: the replicas are those of its creation
 * @param leading whether it serves clients
 * @param appliedIndex last entry in its state
 * @param clockMillis its clock, milliseconds since the epoch: the time of its entries
 * @param logBytesSinceCheckpoint what a restart would have to apply again
 * @param senders clients it remembers
 * @param group the Raft side; null while the replica is closed
 * @param merging set while the range is frozen; null while it goes on
 * @param failure why it is halted; null if it is in service
 * @param broken whether opening it again does not help: it shall be replaced by an empty one, which
 *     gets everything from the others, if there is a majority without it
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

  /** Of one that is not to be replaced. */
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

  ReplicaStatus asBroken(boolean yes) {
    return yes == broken
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
            yes);
  }

  /**
   * The range stands still to become part of its left neighbour.
   *
   * @param left the neighbour
   * @param leftVersion epoch version that the neighbour must have for it
   * @param durable whether no crash of this node undoes it
   */
  public record Merging(RangeId left, long leftVersion, boolean durable) {}

  /** What it is in its group, as far as it knows itself. */
  public enum Role {
    /** Serves clients and decides. */
    LEADER,
    /** Votes. */
    VOTER,
    /** Only follows. */
    LEARNER,
    /** Not of the group: not yet, or not any more; or closed, so that nobody can tell. */
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

  /** Who decides, as far as it knows; empty while it is closed. */
  public Set<NodeId> voters() {
    return group == null ? Set.of() : group.replicas().voters();
  }

  /** Who only follows, as far as it knows; empty while it is closed. */
  public Set<NodeId> learners() {
    return group == null ? Set.of() : group.replicas().learners();
  }

  /** How far its clock is ahead of cluster time; 0 if no more than a change of leaders explains. */
  public long aheadMillis(long clusterMillis) {
    long ahead = clockMillis - clusterMillis;
    return ahead < RangeState.AHEAD_MILLIS ? 0 : ahead;
  }

  /** Log entries that it has and its state does not; how far it is behind others it cannot tell. */
  public long lag() {
    return group == null ? 0 : Math.max(0, group.lastIndex() - group.appliedIndex());
  }
}
