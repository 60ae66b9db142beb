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
 * What a node says of one replica that it holds.
 *
 * @param epoch as in the replica's state
 * @param keys that it holds, as in its state
 * @param role of the replica, as it knows itself
 * @param term its current one; 0 while it is closed
 * @param replicas of the group as its log has them, agreed on or not; null while it is closed
 * @param appliedIndex last entry in its state
 * @param lastIndex last entry of its log; 0 while it is closed
 * @param failure why it is halted; null if it is in service
 * @param merging for which merge it stands still; null if it goes on
 * @param shape what the node wants for the range; null if it does not lead it, or has not measured
 *     it yet
 * @param broken whether it shall be replaced by an empty one
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
    @Nullable ShapeReport shape,
    boolean broken) {

  /** Of one that is not to be replaced. */
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
      @Nullable ShapeReport shape) {
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
        shape,
        false);
  }

  static ReplicaReport of(ReplicaStatus status, @Nullable ShapeReport wanted) {
    boolean fits =
        wanted != null && status.leading() && wanted.fits(status.descriptor().interval());
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
        fits ? wanted : null,
        status.broken());
  }

  boolean isLeading() {
    return role == ReplicaStatus.Role.LEADER && replicas != null;
  }

  /** Whether it takes part in its group. */
  boolean isInService() {
    return replicas != null && failure == null;
  }

  /** Whether it believes the node to be of the group, or does not know. */
  boolean mayCount(NodeId node) {
    return replicas == null
        || replicas.voters().contains(node)
        || replicas.learners().contains(node);
  }
}
