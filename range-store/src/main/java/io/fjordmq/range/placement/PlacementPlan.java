package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What to do next so that every range has the replicas it should have: a pure function, at most one
 * step for each range.
 *
 * <p>The rules, in the order in which they are followed for a range:
 *
 * <ol>
 *   <li>What the group's replicas are is published, and what has become of a range that was split.
 *   <li>A node that is DRAINING, LEAVING, FULL or SLOW hands leadership to one that is UP.
 *   <li>Voters: as many as the store's setting says, or as there are nodes; a node DOWN for long,
 *       or DRAINING where the others are no majority, is replaced if there is another one. One that
 *       is LEAVING votes for nothing, nor does one that was removed. Spread evenly over the nodes:
 *       none votes for two ranges of a store more than another. A replica is created first, then
 *       the group takes it in, then another leaves; none that leaves takes the majority of the
 *       living with it.
 *   <li>Learners: if the store says so, every other living node.
 *   <li>A replica that is not of the group is removed, when every node is there. The node can have
 *       one again once none believes that it still has the old one.
 *   <li>Leaders: no node leads two ranges of a store more than another, as far as voters allow;
 *       among as many, what they have to do is spread, too, where that is worth a hand-over.
 * </ol>
 */
final class PlacementPlan {
  private static final Comparator<RangeId> RANGE_ORDER =
      Comparator.comparing(RangeId::store).thenComparingLong(RangeId::number);

  private PlacementPlan() {}

  static List<Step> steps(PlacementView view, List<StorePlacement> stores) {
    List<Step> steps = new ArrayList<>();
    stores.forEach(store -> steps.addAll(ofStore(view, store)));
    return steps;
  }

  /** Those of the wanted splits that can be done now: of ranges as they were published. */
  static List<Step> splits(PlacementView view, Map<RangeId, byte[]> wanted) {
    List<Step> steps = new ArrayList<>();
    wanted.forEach(
        (id, key) -> {
          RangeDescriptor published = view.published().get(id);
          if (published == null || view.busy().contains(id)) {
            return;
          }
          PlacedRange range = new PlacedRange(published, view.reports());
          NodeId leader = range.leader();
          if (leader != null && !range.isReshaped()) {
            steps.add(new Step.Split(id, leader, published.epoch().version(), key));
          }
        });
    return steps;
  }

  /** The splits that the leaders of ranges ask for, of those that can be done now. */
  static List<Step> wishes(PlacementView view) {
    Map<RangeId, byte[]> wanted = new LinkedHashMap<>();
    for (RangeId id : view.published().keySet().stream().sorted(RANGE_ORDER).toList()) {
      PlacedRange range =
          new PlacedRange(Objects.requireNonNull(view.published().get(id)), view.reports());
      ShapeReport shape = range.leader() == null ? null : range.leaderReport().shape();
      if (shape != null && shape.splitOff() != null) {
        wanted.put(id, shape.splitOff().start());
      }
    }
    return splits(view, wanted);
  }

  private static List<Step> ofStore(PlacementView view, StorePlacement store) {
    List<PlacedRange> ranges =
        view.published().values().stream()
            .filter(range -> range.id().store().equals(store.store()))
            .sorted(Comparator.comparingLong((RangeDescriptor range) -> range.id().number()))
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    Map<RangeId, Set<NodeId>> voters = WantedVoters.of(view, store.voters(), ranges);
    List<Step> steps = new ArrayList<>();
    List<PlacedRange> settled = new ArrayList<>();
    for (PlacedRange range : ranges) {
      if (range.leader() == null || view.busy().contains(range.id())) {
        continue;
      }
      if (range.isReshaped()) {
        Step reshape = Reshaping.of(view, range.published());
        if (reshape != null) {
          steps.add(reshape);
        }
        continue; // before anything else: what a node is told of a range must be true
      }
      Set<NodeId> wanted = Objects.requireNonNull(voters.get(range.id()));
      @Nullable Step step = new RangePlan(view, range, wanted, store.onEveryNode()).next();
      if (step != null) {
        steps.add(step);
      } else if (!view.cooling().contains(range.id())) {
        settled.add(range);
      }
    }
    List<Step> even = LeaderBalance.of(view, ranges, settled);
    steps.addAll(even.isEmpty() ? LeaderLoad.of(view, ranges, settled) : even);
    return steps;
  }
}
