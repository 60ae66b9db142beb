package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import org.jspecify.annotations.Nullable;

/**
 * A node's report about one of its replicas.
 *
 * @param epoch epoch according to the replica's state
 * @param keys key interval according to the replica's state
 * @param role role of the replica, as far as it knows
 * @param term current term; 0 while the replica is closed
 * @param replicas members of the group according to the replica's log, committed or not; null while
 *     it is closed
 * @param appliedIndex last entry in its state
 * @param lastIndex last entry of its log; 0 while it is closed
 * @param failure why it is halted; null if it is in service
 * @param merging the merge that the range is frozen for; null if it is not frozen
 * @param load load and split or merge request; null if the node does not lead the range or has not
 *     measured it yet
 * @param broken whether it is to be replaced by an empty replica
 */
public record ReplicaReport(
    RangeId range,
    RangeEpoch epoch,
    KeyInterval keys,
    ReplicaStatus.Role role,
    long term,
    @Nullable ReplicaSet replicas,
    long appliedIndex,
    long lastIndex,
    @Nullable String failure,
    ReplicaStatus.@Nullable Merging merging,
    @Nullable RangeLoadReport load,
    boolean broken) {

  /** Creates the report about a replica that is not broken. */
  public ReplicaReport(
      RangeId range,
      RangeEpoch epoch,
      KeyInterval keys,
      ReplicaStatus.Role role,
      long term,
      @Nullable ReplicaSet replicas,
      long appliedIndex,
      long lastIndex,
      @Nullable String failure,
      ReplicaStatus.@Nullable Merging merging,
      @Nullable RangeLoadReport load) {
    this(
        range,
        epoch,
        keys,
        role,
        term,
        replicas,
        appliedIndex,
        lastIndex,
        failure,
        merging,
        load,
        false);
  }

  static ReplicaReport of(ReplicaStatus status, @Nullable RangeLoadReport load) {
    boolean isCurrent =
        load != null && status.leading() && load.isMeasuredFor(status.descriptor().interval());
    GroupStatus group = status.group();
    return new ReplicaReport(
        status.descriptor().id(),
        status.descriptor().epoch(),
        status.descriptor().interval(),
        status.role(),
        group == null ? 0 : group.leadership().term(),
        group == null ? null : group.replicas(),
        status.appliedIndex(),
        group == null ? 0 : group.lastIndex(),
        status.failure(),
        status.merging(),
        isCurrent ? load : null,
        status.broken());
  }

  boolean isLeading() {
    return role == ReplicaStatus.Role.LEADER && replicas != null;
  }

  /** Returns whether the replica takes part in its group. */
  boolean isInService() {
    return replicas != null && failure == null;
  }

  /** Returns whether the replica counts the node as a member of the group, or does not know. */
  boolean mayCountAsMember(NodeId node) {
    return replicas == null
        || replicas.voters().contains(node)
        || replicas.learners().contains(node);
  }
}
