package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Finds outdated replicas that block others. Such a replica is on a node that is no longer a member
 * of the range, and still holds the keys from before a split. Therefore the node cannot get a
 * replica of the range that holds some of these keys now.
 *
 * <p>While every member of the cluster is UP, such a replica is simply removed ({@link RangePlan}).
 * While one is DOWN, nothing may be removed, perhaps for hours; then the old range takes the node
 * back as a learner until the replica has applied the split. The same happens if the node has been
 * a member of the child range since the split: its replica of the child then arrives with the split
 * or never, because a node that is already a member is never ordered to create a replica.
 */
final class OutdatedReplicas {
  private final PlacementView view;

  OutdatedReplicas(PlacementView view) {
    this.view = view;
  }

  /** Returns whether another replica on the node blocks a replica of the range. */
  boolean blocks(PlacedRange range, NodeId node) {
    return blockingReplicas(range, node).findAny().isPresent();
  }

  private Stream<ReplicaReport> blockingReplicas(PlacedRange range, NodeId node) {
    RangeReports nodeReports = view.reports().get(node);
    return nodeReports == null
        ? Stream.empty()
        : nodeReports.replicas().stream()
            .filter(replica -> replica.range().store().equals(range.id().store()))
            .filter(replica -> !replica.range().equals(range.id()))
            .filter(replica -> replica.keys().overlaps(range.published().interval()))
            .filter(this::isOutdated);
  }

  private boolean isOutdated(ReplicaReport replica) {
    RangeDescriptor published = view.published().get(replica.range());
    return published != null && replica.epoch().version() < published.epoch().version();
  }

  /**
   * Returns the nodes that ranges need as learners only so that their outdated replicas apply a
   * split.
   *
   * @param ranges ranges of one store
   * @param voters the voters planned for each range
   */
  Map<RangeId, Set<NodeId>> learners(List<PlacedRange> ranges, Map<RangeId, Set<NodeId>> voters) {
    Map<RangeId, Set<NodeId>> learners = new HashMap<>();
    boolean canBeRemoved = view.reports().keySet().containsAll(view.nodes().keySet());
    for (PlacedRange range : ranges) {
      for (NodeId node : voters.getOrDefault(range.id(), Set.of())) {
        boolean arrivesWithSplit = range.members().contains(node);
        if (!range.holders().containsKey(node) && (arrivesWithSplit || !canBeRemoved)) {
          blockingReplicas(range, node)
              .forEach(
                  old -> learners.computeIfAbsent(old.range(), id -> new HashSet<>()).add(node));
        }
      }
    }
    return learners;
  }
}
