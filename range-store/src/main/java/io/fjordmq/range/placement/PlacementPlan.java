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
 * Plans the next steps towards the replicas that every range should have: a pure function that
 * returns at most one step for each range.
 *
 * <p>The rules, in order of priority for each range:
 *
 * <ol>
 *   <li>Publish the group's replicas, and the result of a split or merge.
 *   <li>A node that is DRAINING, LEAVING, FULL or SLOW hands its leadership to one that is UP.
 *   <li>Voters: as many as the store's settings require, or all nodes if there are fewer. A node
 *       that has been DOWN for long, or that is DRAINING while the others are not a majority, is
 *       replaced if there is another one. A node that is LEAVING or was removed is not a voter.
 *       Voters are spread evenly: no node is a voter of two more ranges of a store than another.
 *       While these numbers are even, voters are spread by write load ({@link VoterMoves}). A
 *       replica is created first, then the group adds it, then another one leaves; none leaves if
 *       that would cost the live voters their majority.
 *   <li>A broken replica is treated like one on a removed node, if the range has a majority without
 *       it; its node then gets an empty one (decision 0042).
 *   <li>A range whose change an operator has canceled keeps its replicas for a while, unless the
 *       change is due to a node that cannot stay a voter ({@link ReplicaHolds}).
 *   <li>A pinned range has the voters and, if the pin has one, the leader that an operator chose
 *       ({@link RangePin}); the rules that spread voters and leaders leave it alone.
 *   <li>Learners: if the store requires it, every other live node; otherwise only nodes with an
 *       outdated replica that must be replaced ({@link OutdatedReplicas}).
 *   <li>A replica that the group does not count is removed when every node has reported. The node
 *       can have a new one once no replica believes that it still has the old one.
 *   <li>Two ranges that are to be merged get the same replicas and go through a merge ({@link
 *       MergePlan}). Stale replicas of merged ranges are removed.
 *   <li>Leaders: no node leads two more ranges of a store than another, as far as the voters allow;
 *       while these numbers are even, leaders are spread by load where the gain justifies a
 *       transfer.
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
    stores.forEach(store -> steps.addAll(stepsOfStore(view, store, obstacles)));
    return steps;
  }

  /**
   * Returns the requested splits that are possible now: those of ranges that have not changed since
   * they were published.
   */
  static List<Step> splits(PlacementView view, Map<RangeId, byte[]> keys) {
    List<Step> steps = new ArrayList<>();
    keys.forEach(
        (id, key) -> {
          RangeDescriptor published = view.published().get(id);
          if (published == null || view.busy().contains(id)) {
            return;
          }
          PlacedRange range = new PlacedRange(published, view.reports());
          NodeId leader = range.leader();
          if (leader != null && !range.isChangedSincePublished() && range.merging() == null) {
            steps.add(new Step.Split(id, leader, published.epoch().version(), key));
          }
        });
    return steps;
  }

  /** Returns the splits requested by range leaders that are possible now. */
  static List<Step> requestedSplits(PlacementView view) {
    Map<RangeId, byte[]> keys = new LinkedHashMap<>();
    for (RangeId id : view.published().keySet().stream().sorted(RANGE_ORDER).toList()) {
      PlacedRange range =
          new PlacedRange(Objects.requireNonNull(view.published().get(id)), view.reports());
      RangeLoadReport load = range.leader() == null ? null : range.leaderReport().load();
      if (load != null && load.splitOff() != null) {
        keys.put(id, load.splitOff().start());
      }
    }
    return splits(view, keys);
  }

  /**
   * Returns the left ranges of neighbors that should be merged: the node that leads both requests
   * it, or the leaders of both report them as idle. Empty while a node is not UP. Pinned ranges are
   * merged only at an operator's request.
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
    List<RangeId> requested = new ArrayList<>();
    for (int i = 1; i < inOrder.size(); i++) {
      PlacedRange left = inOrder.get(i - 1);
      PlacedRange right = inOrder.get(i);
      boolean follows =
          MergePlan.isFollowedBy(left, right)
              && !view.isPinned(left.id())
              && !view.isPinned(right.id());
      RangeLoadReport leftLoad =
          follows && left.leader() != null ? left.leaderReport().load() : null;
      RangeLoadReport rightLoad =
          follows && right.leader() != null ? right.leaderReport().load() : null;
      if (leftLoad != null
          && rightLoad != null
          && (Objects.equals(left.leader(), right.leader())
              ? leftLoad.mergeRequested()
              : leftLoad.idle() && rightLoad.idle())) {
        requested.add(left.id());
      }
    }
    return requested;
  }

  private static List<Step> stepsOfStore(
      PlacementView view, StorePlacement store, PlacementObstacles obstacles) {
    List<PlacedRange> ranges =
        view.published().values().stream()
            .filter(range -> range.id().store().equals(store.store()))
            .sorted(Comparator.comparingLong((RangeDescriptor range) -> range.id().number()))
            .map(range -> new PlacedRange(range, view.reports()))
            .toList();
    RangePublication rangePublication = new RangePublication(view, store.store());
    MergePlan merges = MergePlan.of(view, rangePublication, ranges);
    Map<RangeId, Set<NodeId>> voters =
        VoterAssignment.of(view, store.voters(), ranges, merges.pairs());
    Map<RangeId, Set<NodeId>> learners = new OutdatedReplicas(view).learners(ranges, voters);
    Steps steps = new Steps(view);
    List<PlacedRange> healthy = new ArrayList<>();
    Set<RangeId> readyToMerge = new HashSet<>();
    for (PlacedRange range : ranges) {
      boolean superseded = rangePublication.isSuperseded(range.published());
      if ((range.leader() == null && !superseded) || view.busy().contains(range.id())) {
        continue;
      }
      if (range.isChangedSincePublished() || superseded) {
        steps.add(rangePublication.of(range.published()));
        continue; // before anything else: nodes must only be given current descriptors
      } else if (merges.isFrozen(range.id())) {
        continue;
      }
      Set<NodeId> wantedVoters = Objects.requireNonNull(voters.get(range.id()));
      Set<NodeId> extraLearners = learners.getOrDefault(range.id(), Set.of());
      RangePlan plan = new RangePlan(view, range, wantedVoters, store.onEveryNode(), extraLearners);
      String mandatoryReason = VoterAssignment.changeReason(view, store.voters(), range);
      obstacles.addChanges(range.id(), plan.changes(mandatoryReason));
      @Nullable Step step = plan.next();
      if (step != null) {
        steps.add(step);
        continue;
      }
      plan.pending(mandatoryReason).forEach(obstacles::add);
      if (merges.isPaired(range.id())) {
        readyToMerge.add(range.id());
      } else if (plan.hasPinnedLeader()) {
        steps.add(plan.restoreLeader());
      } else if (!view.inCooldown().contains(range.id())) {
        healthy.add(range);
      }
    }
    merges.steps(readyToMerge).forEach(steps::add);
    merges.obstacles().forEach(obstacles::addMerge);
    merges.pending().forEach(obstacles::add);
    StaleReplicas.of(view, rangePublication, store.store()).forEach(steps::add);
    List<Step> even = LeaderBalance.of(view, ranges, healthy);
    (even.isEmpty() ? LeaderLoadBalance.of(view, ranges, healthy) : even).forEach(steps::add);
    return steps.planned;
  }

  /** At most one step for each range, and none for ranges that are busy. */
  private static final class Steps {
    final List<Step> planned = new ArrayList<>();
    private final Set<RangeId> busy;

    Steps(PlacementView view) {
      busy = new HashSet<>(view.busy());
    }

    void add(@Nullable Step step) {
      if (step != null && Collections.disjoint(busy, step.ranges())) {
        busy.addAll(step.ranges());
        planned.add(step);
      }
    }
  }
}
