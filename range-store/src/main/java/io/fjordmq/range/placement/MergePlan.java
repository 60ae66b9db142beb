package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.ReplicaStatus;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The next steps of the merges in one store (decision 0028). A pure function of what the nodes
 * report, so any driver can continue a merge that another one started.
 *
 * <ol>
 *   <li>A requested pair first gets the same replicas (see {@link VoterAssignment}), all of them in
 *       service on nodes that are UP. Then the right range is frozen.
 *   <li>A frozen range is absorbed as soon as every replica of both ranges reports it as durably
 *       frozen.
 *   <li>If a node with a replica is not UP, or the merge takes too long, the epoch of the left
 *       range is raised; the right one is unfrozen once the left one has a new epoch version.
 * </ol>
 */
final class MergePlan {
  private final PlacementView view;
  private final RangePublication rangePublication;

  /** The pairs of neighbors; those whose right range is frozen come first. */
  private final List<Pair> pairs = new ArrayList<>();

  /** Frozen ranges whose left neighbor has been merged into another range. */
  private final List<PlacedRange> orphans = new ArrayList<>();

  private final Set<RangeId> paired = new HashSet<>();
  private final Map<RangeId, String> obstacles = new HashMap<>();

  /** Merges that have frozen a range and currently cannot proceed. */
  private final List<PendingStep> stalled = new ArrayList<>();

  /**
   * Two neighbors.
   *
   * @param merging the merge that the right range is frozen for; null if it is not frozen
   */
  record Pair(PlacedRange left, PlacedRange right, ReplicaStatus.@Nullable Merging merging) {
    boolean isFrozen() {
      return merging != null;
    }

    /**
     * Returns true as long as the left range has the epoch version that the right one is frozen
     * for.
     */
    boolean isUndecided() {
      return merging != null && left.newestVersion() <= merging.leftVersion();
    }
  }

  private MergePlan(PlacementView view, RangePublication rangePublication) {
    this.view = view;
    this.rangePublication = rangePublication;
  }

  /**
   * @param ranges all published ranges of the store
   */
  static MergePlan of(
      PlacementView view, RangePublication rangePublication, List<PlacedRange> ranges) {
    MergePlan plan = new MergePlan(view, rangePublication);
    Map<RangeId, PlacedRange> byId = new HashMap<>();
    ranges.forEach(range -> byId.put(range.id(), range));
    for (PlacedRange right : ranges) {
      ReplicaStatus.Merging merging = right.merging();
      if (merging == null || rangePublication.isSuperseded(right.published())) {
        continue; // not frozen, or already absorbed
      }
      PlacedRange left = byId.get(merging.left());
      if (left == null) {
        plan.orphans.add(right);
        plan.paired.add(right.id());
      } else {
        plan.addPair(new Pair(left, right, merging));
      }
    }
    for (RangeId requestedLeft : view.merges().requested()) {
      PlacedRange left = byId.get(requestedLeft);
      if (left != null) {
        plan.planRequested(left, ranges);
      }
    }
    return plan;
  }

  private void addPair(Pair pair) {
    pairs.add(pair);
    paired.add(pair.left().id());
    paired.add(pair.right().id());
  }

  private void planRequested(PlacedRange left, List<PlacedRange> ranges) {
    PlacedRange right =
        ranges.stream().filter(range -> isFollowedBy(left, range)).findFirst().orElse(null);
    if (right == null) {
      obstacles.put(left.id(), "there is no range to the right of " + left.id());
    } else if (!paired.contains(left.id()) && !paired.contains(right.id())) {
      addPair(new Pair(left, right, null));
    } else if (pairs.stream().noneMatch(pair -> pair.left() == left && pair.right() == right)) {
      obstacles.put(left.id(), "one of the two ranges is part of another merge");
    }
  }

  static boolean isFollowedBy(PlacedRange left, PlacedRange right) {
    byte[] end = left.published().interval().end();
    return end != null
        && left.id().store().equals(right.id().store())
        && Arrays.equals(end, right.published().interval().start());
  }

  /** Returns the pairs that are being merged or are about to be. */
  List<Pair> pairs() {
    return List.copyOf(pairs);
  }

  /** Returns whether the range is part of a pair: its leader and voters must not move. */
  boolean isPaired(RangeId range) {
    return paired.contains(range);
  }

  /** Returns whether the only steps allowed for the range are those that decide its merge. */
  boolean isFrozen(RangeId range) {
    return orphans.stream().anyMatch(orphan -> orphan.id().equals(range))
        || pairs.stream()
            .filter(Pair::isFrozen)
            .anyMatch(
                pair ->
                    pair.right().id().equals(range)
                        || (pair.left().id().equals(range)
                            && (pair.isUndecided() || canBeUnfrozen(pair))));
  }

  /**
   * Returns whether the right range can be unfrozen. If not, the left range first needs a replica
   * on one of the right range's nodes.
   */
  private static boolean canBeUnfrozen(Pair pair) {
    return pair.right().replicas().voters().stream()
        .anyMatch(node -> pair.left().holders().containsKey(node));
  }

  /** Returns why requested merges have not started, by left range. */
  Map<RangeId, String> obstacles() {
    return obstacles;
  }

  /** Returns what merges are waiting for. Must be called after {@link #steps}. */
  List<PendingStep> pending() {
    List<PendingStep> pending = new ArrayList<>(stalled);
    obstacles.forEach(
        (left, reason) ->
            pending.add(
                new PendingStep(left, "merging the range with the next one", reason, true)));
    return pending;
  }

  private PendingStep stalledStep(Pair pair) {
    RangeId left = pair.left().id();
    RangeId right = pair.right().id();
    String reason;
    if (pair.left().leader() == null || pair.right().leader() == null) {
      reason = "range " + (pair.left().leader() == null ? left : right) + " has no leader";
    } else if (pair.isUndecided()) {
      reason = "not all replicas have frozen range " + right + " yet";
    } else {
      reason =
          "range " + right + " stays frozen until its leader learns that the merge was canceled";
    }
    return new PendingStep(
        left, PendingSteps.describeMerge(left, right), reason, pair.isUndecided());
  }

  /**
   * @param settled ranges whose replicas are in place and that need no other step
   */
  List<Step> steps(Set<RangeId> settled) {
    List<Step> steps = new ArrayList<>();
    for (Pair pair : pairs) {
      Step step = isBusy(pair) ? null : nextStep(pair, settled);
      if (step != null) {
        steps.add(step);
      } else if (pair.isFrozen() && !isBusy(pair)) {
        stalled.add(stalledStep(pair));
      }
    }
    for (PlacedRange orphan : orphans) {
      NodeId leader = orphan.leader();
      if (leader != null && orphan.leaderReport().merging() != null && !isBusy(orphan)) {
        // The node refuses unless it also knows that the neighbor is gone.
        steps.add(new Step.Unfreeze(orphan.id(), leader));
      }
    }
    return steps;
  }

  private @Nullable Step nextStep(Pair pair, Set<RangeId> settled) {
    ReplicaStatus.Merging merging = pair.merging();
    if (merging == null) {
      return begin(pair, settled);
    }
    return pair.isUndecided() ? continueMerge(pair, merging) : unfreeze(pair, merging);
  }

  private boolean isBusy(Pair pair) {
    return isBusy(pair.left()) || isBusy(pair.right());
  }

  private boolean isBusy(PlacedRange range) {
    return view.busy().contains(range.id());
  }

  private @Nullable Step begin(Pair pair, Set<RangeId> settled) {
    PlacedRange left = pair.left();
    PlacedRange right = pair.right();
    String obstacle = obstacle(pair, settled);
    if (obstacle != null) {
      obstacles.put(left.id(), obstacle);
      return null;
    }
    return new Step.Freeze(
        right.id(), Objects.requireNonNull(right.leader()), right.current(), left.current());
  }

  private @Nullable String obstacle(Pair pair, Set<RangeId> settled) {
    PlacedRange left = pair.left();
    PlacedRange right = pair.right();
    for (PlacedRange range : List.of(left, right)) {
      if (range.leader() == null) {
        return "range " + range.id() + " has no leader";
      } else if (range.isChangedSincePublished()
          || rangePublication.isSuperseded(range.published())) {
        return "range " + range.id() + " has changed since it was last published";
      } else if (!settled.contains(range.id())) {
        return "the replicas of range " + range.id() + " are not all in place yet";
      } else if (range.merging() != null) {
        return "range " + range.id() + " is being merged with another one";
      }
    }
    if (!left.replicas().equals(right.replicas())) {
      return "range %s has replicas %s, but %s has %s"
          .formatted(left.id(), left.replicas(), right.id(), right.replicas());
    }
    String oldReplica = oldReplicaObstacle(left);
    return oldReplica == null ? unavailableReplica(left, right) : oldReplica;
  }

  /**
   * Returns the node that prevents the merge because it has, or may have, an old replica; null if
   * there is none. A former member of the group may rejoin with its old log and would then find the
   * merge there, without having the rows of the right range.
   */
  private @Nullable String oldReplicaObstacle(PlacedRange left) {
    for (NodeId node : NodeSets.sorted(view.nodes().keySet())) {
      if (!view.reports().containsKey(node)) {
        return NodeSets.missingReportReason(view, node)
            + " and may still have an old replica of "
            + left.id();
      } else if (left.holders().containsKey(node) && !left.members().contains(node)) {
        return "node " + node + " still has an old replica of " + left.id();
      }
    }
    return null;
  }

  /** Describes the node whose replica cannot take part, and why; null if all can. */
  private @Nullable String unavailableReplica(PlacedRange left, PlacedRange right) {
    for (NodeId node : NodeSets.sorted(members(left.replicas()))) {
      if (!view.isUp(node)) {
        return "node " + node + " is not UP";
      } else if (!left.isInService(node) || !right.isInService(node)) {
        return "node " + node + " does not report that its replicas of both ranges are in service";
      }
    }
    return null;
  }

  private static Set<NodeId> members(ReplicaSet replicas) {
    Set<NodeId> members = new HashSet<>(replicas.voters());
    members.addAll(replicas.learners());
    return members;
  }

  private @Nullable Step continueMerge(Pair pair, ReplicaStatus.Merging merging) {
    PlacedRange left = pair.left();
    PlacedRange right = pair.right();
    NodeId leader = left.leader();
    if (leader == null || left.leaderReport().epoch().version() != merging.leftVersion()) {
      return null; // there is no leader, or its report is out of date
    }
    ReplicaSet replicas = left.replicas();
    if (isFrozenEverywhere(pair, merging, replicas)) {
      return new Step.Absorb(left.id(), leader, left.current(), right.current(), replicas);
    }
    String reason = abandonReason(right, replicas);
    return reason == null
        ? null
        : new Step.BumpEpoch(left.id(), leader, left.current(), right.id(), reason);
  }

  /** Returns why the merge must be abandoned; null as long as it can succeed. */
  private @Nullable String abandonReason(PlacedRange right, ReplicaSet replicas) {
    for (NodeId node : NodeSets.sorted(members(replicas))) {
      if (!view.isUp(node)) {
        return "node " + node + " is not UP";
      }
    }
    if (view.merges().canceled().contains(right.id())) {
      return "an operator canceled the merge";
    }
    return view.merges().overdue().contains(right.id())
        ? "not every replica was frozen within mergeFreezeTimeout"
        : null;
  }

  /**
   * Returns whether all replicas are durably frozen. The right range's rows are then final, and on
   * the disk of every node that needs them.
   */
  private boolean isFrozenEverywhere(
      Pair pair, ReplicaStatus.Merging merging, ReplicaSet replicas) {
    return pair.right().replicas().equals(replicas)
        && members(replicas).stream()
            .allMatch(
                node -> {
                  ReplicaReport left = pair.left().holders().get(node);
                  ReplicaReport right = pair.right().holders().get(node);
                  return view.isUp(node)
                      && left != null
                      && right != null
                      && right.epoch().version() == pair.right().newestVersion()
                      && isFrozenFor(merging, right.merging());
                });
  }

  private static boolean isFrozenFor(
      ReplicaStatus.Merging merging, ReplicaStatus.@Nullable Merging report) {
    return report != null
        && report.durable()
        && report.left().equals(merging.left())
        && report.leftVersion() == merging.leftVersion();
  }

  /**
   * Returns the step by which the right range's leader unfreezes it. The leader must be on a node
   * whose replica of the left range has the new epoch version.
   */
  private @Nullable Step unfreeze(Pair pair, ReplicaStatus.Merging merging) {
    PlacedRange right = pair.right();
    NodeId leader = right.leader();
    if (leader == null || right.leaderReport().merging() == null) {
      return null;
    } else if (pair.left().holders().containsKey(leader)) {
      return hasNewEpoch(pair.left(), leader, merging)
          ? new Step.Unfreeze(right.id(), leader)
          : null;
    }
    return NodeSets.sorted(right.replicas().voters()).stream()
        .filter(node -> right.isInService(node) && hasNewEpoch(pair.left(), node, merging))
        .findFirst()
        .map(node -> new Step.Transfer(right.id(), leader, node))
        .orElse(null);
  }

  private static boolean hasNewEpoch(PlacedRange left, NodeId node, ReplicaStatus.Merging merging) {
    ReplicaReport report = left.holders().get(node);
    return report != null && report.epoch().version() > merging.leftVersion();
  }
}
