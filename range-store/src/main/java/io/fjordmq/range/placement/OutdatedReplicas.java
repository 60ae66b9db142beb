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
 * Replicas that stand in the way: what a node has left of a range that does not count it any more,
 * in the shape from before a split, keeps it from having the range that has some of those keys now.
 *
 * <p>When every member is there such a replica is removed ({@link RangePlan}). While one is away
 * nothing may be, and that may last: then its range takes the node in again, as a learner, until
 * the replica has the shape of now. So it does, too, if the other range counts the node since the
 * split: its replica comes with the split, or never, for nobody is told to have one who is counted.
 */
final class OutdatedReplicas {
  private final PlacementView view;

  OutdatedReplicas(PlacementView view) {
    this.view = view;
  }

  /** Whether something stands in the way of a replica of the range there. */
  boolean block(PlacedRange range, NodeId node) {
    return blocking(range, node).findAny().isPresent();
  }

  private Stream<ReplicaReport> blocking(PlacedRange range, NodeId node) {
    RangeReports here = view.reports().get(node);
    return here == null
        ? Stream.empty()
        : here.replicas().stream()
            .filter(replica -> replica.range().store().equals(range.id().store()))
            .filter(replica -> !replica.range().equals(range.id()))
            .filter(replica -> replica.keys().overlaps(range.published().interval()))
            .filter(this::isOld);
  }

  private boolean isOld(ReplicaReport replica) {
    RangeDescriptor published = view.published().get(replica.range());
    return published != null && replica.epoch().version() < published.epoch().version();
  }

  /**
   * Who should learn which range for no other reason.
   *
   * @param ranges of one store
   * @param voters that each should have
   */
  Map<RangeId, Set<NodeId>> learners(List<PlacedRange> ranges, Map<RangeId, Set<NodeId>> voters) {
    Map<RangeId, Set<NodeId>> learners = new HashMap<>();
    boolean canBeRemoved = view.reports().keySet().containsAll(view.nodes().keySet());
    for (PlacedRange range : ranges) {
      for (NodeId node : voters.getOrDefault(range.id(), Set.of())) {
        boolean comesByTheSplit = range.members().contains(node);
        if (!range.holders().containsKey(node) && (comesByTheSplit || !canBeRemoved)) {
          blocking(range, node)
              .forEach(
                  old -> learners.computeIfAbsent(old.range(), id -> new HashSet<>()).add(node));
        }
      }
    }
    return learners;
  }
}
