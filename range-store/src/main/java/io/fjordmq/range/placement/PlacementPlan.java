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
 * The next steps towards the replicas that every range should have. A pure function; at most one
 * step for each range.
 *
 * <p>The rules, in order of priority for each range:
 *
 * <ol>
 *   <li>Publish the group's replicas, and the result of a split or merge.
 *   <li>A node that is DRAINING, LEAVING, FULL or SLOW hands its leadership to one that is UP.
 *   <li>Voters: as many as the store's setting, or as there are nodes. A node that has been DOWN
 *       for long, or that is DRAINING while the others are no majority, is replaced if there is
 *       another one. A node that is LEAVING or was removed does not vote. Voters are spread evenly:
 *       no node votes for two ranges of a store more than another, and with even numbers, by write
 *       load ({@link VoterMoves}). A replica is created first, then the group adds it, then another
 *       one leaves; none leaves if that would cost the live voters their majority.
 *   <li>A broken replica is treated like one on a removed node, if the range has a majority without
 *       it; its node then gets an empty one (decision 0042).
 *   <li>Learners: if the store says so, every other live node; otherwise only nodes that have to
 *       get rid of an outdated replica ({@link OutdatedReplicas}).
 *   <li>A replica that the group does not count is removed when every node has reported. The node
 *       can have a new one once no replica believes that it still has the old one.
 *   <li>Two ranges that are to be merged get the same replicas and go through a merge ({@link
 *       MergePlan}). Stale replicas of merged ranges are removed.
 *   <li>Leaders: no node leads two ranges of a store more than another, as far as the voters allow;
 *       with even numbers, leaders are spread by load where that is worth a transfer.
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
   * @param obstacles collects the steps that have to be postponed
   */
  static List<Step> steps(
      PlacementView view, List<StorePlacement> stores, PlacementObstacles obstacles) {
    List<Step> steps = new ArrayList<>();
    stores.forEach(store -> steps.addAll(ofStore(view, store, obstacles)));
    return steps;
  }

  /**
   * The requested splits that are possible now: those of ranges that have not changed since they
   * were published.
   */
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

  /** The splits requested by range leaders that are possible now. */
  static List<Step> requestedSplits(PlacementView view) {
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
   * The left ranges of neighbours that should be merged: the node that leads both requests it, or
   * the leaders of both report them as idle. Empty while a node is not UP.
   */
  static List<RangeId> requestedMerges(PlacementView view) {
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
      PlacementView view, StorePlacement store, PlacementObstacles obstacles) {
    List<PlacedRange> ranges =
        view.published().values().stream()
            .filter(range -> range.id().store().equals(store.store()))
            .sorted(Comparator.comparingLong((RangeDescriptor range) -> range.id().number()))
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    Reshaping reshaping = new Reshaping(view, store.store());
    MergePlan merges = MergePlan.of(view, reshaping, ranges);
    Map<RangeId, Set<NodeId>> voters =
        VoterAssignment.of(view, store.voters(), ranges, merges.pairs());
    Map<RangeId, Set<NodeId>> learners = new OutdatedReplicas(view).learners(ranges, voters);
    Steps steps = new Steps(view);
    List<PlacedRange> settled = new ArrayList<>();
    Set<RangeId> readyToMerge = new HashSet<>();
    for (PlacedRange range : ranges) {
      boolean superseded = reshaping.isSuperseded(range.published());
      if ((range.leader() == null && !superseded) || view.busy().contains(range.id())) {
        continue;
      }
      if (range.isReshaped() || superseded) {
        steps.add(reshaping.of(range.published()));
        continue; // before anything else: nodes must only be given current descriptors
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
      plan.pending().forEach(obstacles::add);
      if (merges.isPaired(range.id())) {
        readyToMerge.add(range.id());
      } else if (!view.cooling().contains(range.id())) {
        settled.add(range);
      }
    }
    merges.steps(readyToMerge).forEach(steps::add);
    merges.obstacles().forEach(obstacles::addMerge);
    merges.pending().forEach(obstacles::add);
    StaleReplicas.of(view, reshaping, store.store()).forEach(steps::add);
    List<Step> even = LeaderBalance.of(view, ranges, settled);
    (even.isEmpty() ? LeaderLoad.of(view, ranges, settled) : even).forEach(steps::add);
    return steps.all;
  }

  /** At most one step for each range, and none for ranges that are busy. */
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
