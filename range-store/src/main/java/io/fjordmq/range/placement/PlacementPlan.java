package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
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
 *   <li>What the group's replicas are is published, and what has become of a range that was split
 *       or merged.
 *   <li>A node that is DRAINING, LEAVING, FULL or SLOW hands leadership to one that is UP.
 *   <li>Voters: as many as the store's setting says, or as there are nodes; a node DOWN for long,
 *       or DRAINING where the others are no majority, is replaced if there is another one. One that
 *       is LEAVING votes for nothing, nor does one that was removed. Spread evenly over the nodes:
 *       none votes for two ranges of a store more than another, and where that is so, by what they
 *       have to write ({@link VoterMoves}). A replica is created first, then the group takes it in,
 *       then another leaves; none that leaves takes the majority of the living with it.
 *   <li>A replica that is broken goes like one of a node that was removed, if the range has a
 *       majority without it; its node then gets an empty one (decision 0042).
 *   <li>Learners: if the store says so, every other living node; else who has to get rid of an old
 *       shape ({@link OutdatedReplicas}).
 *   <li>A replica that is not of the group is removed, when every node is there. The node can have
 *       one again once none believes that it still has the old one.
 *   <li>Two ranges that are to become one have the same replicas, and go through a merge ({@link
 *       MergePlan}). What is left of a range that became part of another one is removed.
 *   <li>Leaders: no node leads two ranges of a store more than another, as far as voters allow;
 *       among as many, what they have to do is spread, too, where that is worth a hand-over.
 * </ol>
 */
final class PlacementPlan {
  private static final Comparator<RangeId> RANGE_ORDER =
      Comparator.comparing(RangeId::store).thenComparingLong(RangeId::number);

  private static final Comparator<RangeDescriptor> BY_KEY =
      Comparator.comparing((RangeDescriptor range) -> range.id().store())
          .thenComparing(
              (a, b) -> Arrays.compareUnsigned(a.interval().start(), b.interval().start()));

  private PlacementPlan() {}

  static List<Step> steps(PlacementView view, List<StorePlacement> stores) {
    return steps(view, stores, new PlacementObstacles());
  }

  /**
   * @param hindrances takes what is wanted and has to be put off
   */
  static List<Step> steps(
      PlacementView view, List<StorePlacement> stores, PlacementObstacles placementObstacles) {
    List<Step> steps = new ArrayList<>();
    stores.forEach(store -> steps.addAll(ofStore(view, store, placementObstacles)));
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
          if (leader != null && !range.isReshaped() && range.merging() == null) {
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

  /**
   * The left ranges of neighbours that should become one: the node that leads both says so, or each
   * of those that lead them says that it is idle. None while a node is not UP.
   */
  static List<RangeId> mergeWishes(PlacementView view) {
    if (!view.nodes().values().stream().allMatch(PlacementView.Node::isUp)) {
      return List.of();
    }
    List<PlacedRange> inOrder =
        view.published().values().stream()
            .sorted(BY_KEY)
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    List<RangeId> wanted = new ArrayList<>();
    for (int i = 1; i < inOrder.size(); i++) {
      PlacedRange left = inOrder.get(i - 1);
      PlacedRange right = inOrder.get(i);
      boolean follows = MergePlan.isFollowedBy(left, right);
      ShapeReport ofLeft = follows && left.leader() != null ? left.leaderReport().shape() : null;
      ShapeReport ofRight = follows && right.leader() != null ? right.leaderReport().shape() : null;
      if (ofLeft != null
          && ofRight != null
          && (Objects.equals(left.leader(), right.leader())
              ? ofLeft.merge()
              : ofLeft.idle() && ofRight.idle())) {
        wanted.add(left.id());
      }
    }
    return wanted;
  }

  private static List<Step> ofStore(
      PlacementView view, StorePlacement store, PlacementObstacles placementObstacles) {
    List<PlacedRange> ranges =
        view.published().values().stream()
            .filter(range -> range.id().store().equals(store.store()))
            .sorted(Comparator.comparingLong((RangeDescriptor range) -> range.id().number()))
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    Reshaping reshaping = new Reshaping(view, store.store());
    MergePlan merges = MergePlan.of(view, reshaping, ranges);
    Map<RangeId, Set<NodeId>> voters =
        WantedVoters.of(view, store.voters(), ranges, merges.pairs());
    Map<RangeId, Set<NodeId>> learners = new OutdatedReplicas(view).learners(ranges, voters);
    Steps steps = new Steps(view);
    List<PlacedRange> settled = new ArrayList<>();
    Set<RangeId> asTheyShouldBe = new HashSet<>();
    for (PlacedRange range : ranges) {
      boolean overtaken = reshaping.isOvertaken(range.published());
      if ((range.leader() == null && !overtaken) || view.busy().contains(range.id())) {
        continue;
      }
      if (range.isReshaped() || overtaken) {
        steps.add(reshaping.of(range.published()));
        continue; // before anything else: what a node is told of a range must be true
      } else if (merges.isFrozen(range.id())) {
        continue;
      }
      Set<NodeId> wanted = Objects.requireNonNull(voters.get(range.id()));
      Set<NodeId> others = learners.getOrDefault(range.id(), Set.of());
      RangePlan plan = new RangePlan(view, range, wanted, store.onEveryNode(), others);
      @Nullable Step step = plan.next();
      if (step != null) {
        steps.add(step);
        continue;
      }
      plan.pending().forEach(placementObstacles::add);
      if (merges.isPaired(range.id())) {
        asTheyShouldBe.add(range.id());
      } else if (!view.cooling().contains(range.id())) {
        settled.add(range);
      }
    }
    merges.steps(asTheyShouldBe).forEach(steps::add);
    merges.hindrances().forEach(placementObstacles::addMerge);
    merges.pending().forEach(placementObstacles::add);
    StaleReplicas.of(view, reshaping, store.store()).forEach(steps::add);
    List<Step> even = LeaderBalance.of(view, ranges, settled);
    (even.isEmpty() ? LeaderLoad.of(view, ranges, settled) : even).forEach(steps::add);
    return steps.all;
  }

  /** At most one for each range, none for those that something is being done for. */
  private static final class Steps {
    final List<Step> all = new ArrayList<>();
    private final Set<RangeId> taken;

    Steps(PlacementView view) {
      taken = new HashSet<>(view.busy());
    }

    void add(@Nullable Step step) {
      if (step != null && Collections.disjoint(taken, step.ranges())) {
        taken.addAll(step.ranges());
        all.add(step);
      }
    }
  }
}
