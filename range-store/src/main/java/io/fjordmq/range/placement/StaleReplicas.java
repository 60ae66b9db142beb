package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Removes stale replicas: those of ranges that were merged into others. A replica that was not a
 * member during the merge, or that missed it, prevents its node from getting a replica with these
 * keys again. Such a replica is removed and then forgotten.
 */
final class StaleReplicas {
  private StaleReplicas() {}

  static List<Step> of(PlacementView view, RangePublication rangePublication, String store) {
    List<Step> steps = new ArrayList<>();
    Set<RangeId> reportedRanges = new HashSet<>();
    Set<RangeId> retired = new HashSet<>();
    for (NodeId node : NodeSets.sorted(view.reports().keySet())) {
      RangeReports reports = Objects.requireNonNull(view.reports().get(node));
      for (ReplicaReport replica : reports.replicas()) {
        reportedRanges.add(replica.range());
        if (isUnknown(view, replica.range(), store)) {
          Set<RangeId> successors =
              rangePublication.successors(
                  replica.range(), replica.keys(), replica.epoch().version());
          if (successors.stream().anyMatch(view.published()::containsKey)
              && !isNeeded(replica, reports, successors)) {
            steps.add(new Step.RemoveStaleReplica(replica.range(), node, successors));
          }
        }
      }
      reports.retired().stream()
          .filter(range -> isUnknown(view, range, store))
          .forEach(retired::add);
    }
    retired.removeAll(reportedRanges);
    if (view.reports().keySet().containsAll(view.nodes().keySet())) {
      retired.forEach(range -> forget(view, range, steps));
    }
    return steps;
  }

  private static boolean isUnknown(PlacementView view, RangeId range, String store) {
    return range.store().equals(store) && !view.published().containsKey(range);
  }

  /**
   * Returns whether the replica leads, or a replica of another range on this node may still absorb
   * it and would then remove it.
   */
  private static boolean isNeeded(
      ReplicaReport replica, RangeReports reports, Set<RangeId> successors) {
    ReplicaStatus.Merging merging = replica.merging();
    return replica.isLeading()
        || (merging != null
            && (mayAbsorb(reports.find(merging.left()), merging)
                || successors.stream().anyMatch(successor -> reports.find(successor) != null)));
  }

  /**
   * Returns whether the left neighbor may still absorb the replica. The merge may have ended long
   * ago, because a replica that left its group receives no updates.
   */
  private static boolean mayAbsorb(@Nullable ReplicaReport left, ReplicaStatus.Merging merging) {
    return left != null
        && (left.appliedIndex() == 0 || left.epoch().version() <= merging.leftVersion());
  }

  private static void forget(PlacementView view, RangeId range, List<Step> steps) {
    NodeSets.sorted(view.reports().keySet()).stream()
        .filter(node -> Objects.requireNonNull(view.reports().get(node)).retired().contains(range))
        .forEach(node -> steps.add(new Step.Forget(range, node)));
  }
}
