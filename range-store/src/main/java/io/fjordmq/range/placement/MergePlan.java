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
 * The next steps of the merges of one store's ranges (decision 0028): a pure function of what the
 * nodes report, so that it does not matter who has begun a merge.
 *
 * <ol>
 *   <li>A pair that is wanted gets the same replicas (see {@link WantedVoters}), all of which are
 *       in service on nodes that are UP. Then the right range is frozen.
 *   <li>A range that is frozen is absorbed as soon as all replicas of both have it so, durably.
 *   <li>If a replica's node is away, or it takes too long, the left range is renewed, and the right
 *       one thawed once the left one has another version.
 * </ol>
 */
final class MergePlan {
  private final PlacementView view;
  private final Reshaping reshaping;

  /** First those whose right range is frozen. */
  private final List<Pair> pairs = new ArrayList<>();

  /** Frozen ranges whose left neighbour has become part of another one. */
  private final List<PlacedRange> orphans = new ArrayList<>();

  private final Set<RangeId> paired = new HashSet<>();
  private final Map<RangeId, String> hindrances = new HashMap<>();

  /** Merges of which nothing can be done at the moment, although one range is frozen. */
  private final List<PendingStep> stalled = new ArrayList<>();

  /**
   * Two neighbours.
   *
   * @param merging for which the right one is frozen; null if it is not
   */
  record Pair(PlacedRange left, PlacedRange right, ReplicaStatus.@Nullable Merging merging) {
    boolean isFrozen() {
      return merging != null;
    }

    /** As long as the left range has the version for which the right one is frozen. */
    boolean isUndecided() {
      return merging != null && left.newestVersion() <= merging.leftVersion();
    }
  }

  private MergePlan(PlacementView view, Reshaping reshaping) {
    this.view = view;
    this.reshaping = reshaping;
  }

  /**
   * @param ranges all of the store that were published
   */
  static MergePlan of(PlacementView view, Reshaping reshaping, List<PlacedRange> ranges) {
    MergePlan plan = new MergePlan(view, reshaping);
    Map<RangeId, PlacedRange> byId = new HashMap<>();
    ranges.forEach(range -> byId.put(range.id(), range));
    for (PlacedRange right : ranges) {
      ReplicaStatus.Merging merging = right.merging();
      if (merging == null || reshaping.isOvertaken(right.published())) {
        continue; // it goes on, or is part of its neighbour by now
      }
      PlacedRange left = byId.get(merging.left());
      if (left == null) {
        plan.orphans.add(right);
        plan.paired.add(right.id());
      } else {
        plan.pair(new Pair(left, right, merging));
      }
    }
    for (RangeId wanted : view.merges().wanted()) {
      PlacedRange left = byId.get(wanted);
      if (left != null) {
        plan.want(left, ranges);
      }
    }
    return plan;
  }

  private void pair(Pair pair) {
    pairs.add(pair);
    paired.add(pair.left().id());
    paired.add(pair.right().id());
  }

  private void want(PlacedRange left, List<PlacedRange> ranges) {
    PlacedRange right =
        ranges.stream().filter(range -> isFollowedBy(left, range)).findFirst().orElse(null);
    if (right == null) {
      hindrances.put(left.id(), "no range follows it");
    } else if (!paired.contains(left.id()) && !paired.contains(right.id())) {
      pair(new Pair(left, right, null));
    } else if (pairs.stream().noneMatch(pair -> pair.left() == left && pair.right() == right)) {
      hindrances.put(left.id(), "one of the two is part of another merge");
    }
  }

  static boolean isFollowedBy(PlacedRange left, PlacedRange right) {
    byte[] end = left.published().interval().end();
    return end != null
        && left.id().store().equals(right.id().store())
        && Arrays.equals(end, right.published().interval().start());
  }

  /** Those that are to become one, or are about to. */
  List<Pair> pairs() {
    return List.copyOf(pairs);
  }

  /** Whether it is to be merged: its leader and voters stay where they are. */
  boolean isPaired(RangeId range) {
    return paired.contains(range);
  }

  /** Whether nothing may be done to the range but what decides its merge. */
  boolean isFrozen(RangeId range) {
    return orphans.stream().anyMatch(orphan -> orphan.id().equals(range))
        || pairs.stream()
            .filter(Pair::isFrozen)
            .anyMatch(
                pair ->
                    pair.right().id().equals(range)
                        || (pair.left().id().equals(range)
                            && (pair.isUndecided() || canBeThawed(pair))));
  }

  /** Else the left range has to come to a node of the right one first. */
  private static boolean canBeThawed(Pair pair) {
    return pair.right().replicas().voters().stream()
        .anyMatch(node -> pair.left().holders().containsKey(node));
  }

  /** Why pairs that are wanted are not merged yet, by their left range. */
  Map<RangeId, String> hindrances() {
    return hindrances;
  }

  /** What merges wait for; to be asked after {@link #steps}. */
  List<PendingStep> pending() {
    List<PendingStep> pending = new ArrayList<>(stalled);
    hindrances.forEach(
        (left, why) ->
            pending.add(
                new PendingStep(left, "merging it with the range that follows", why, true)));
    return pending;
  }

  private PendingStep stalled(Pair pair) {
    RangeId left = pair.left().id();
    RangeId right = pair.right().id();
    String why;
    if (pair.left().leader() == null || pair.right().leader() == null) {
      why = "range " + (pair.left().leader() == null ? left : right) + " has no leader";
    } else if (pair.isUndecided()) {
      why = "not all replicas have suspended range " + right + " yet";
    } else {
      why = "range " + right + " resumes when its leader knows that the merge was canceled";
    }
    return new PendingStep(left, PendingSteps.merging(left, right), why, pair.isUndecided());
  }

  /**
   * @param settled ranges that are as they should be, for which nothing else is to be done
   */
  List<Step> steps(Set<RangeId> settled) {
    List<Step> steps = new ArrayList<>();
    for (Pair pair : pairs) {
      Step step = isBusy(pair) ? null : next(pair, settled);
      if (step != null) {
        steps.add(step);
      } else if (pair.isFrozen() && !isBusy(pair)) {
        stalled.add(stalled(pair));
      }
    }
    for (PlacedRange orphan : orphans) {
      NodeId leader = orphan.leader();
      if (leader != null && orphan.leaderReport().merging() != null && !isBusy(orphan)) {
        steps.add(new Step.Thaw(orphan.id(), leader)); // refused unless that node knows it, too
      }
    }
    return steps;
  }

  private @Nullable Step next(Pair pair, Set<RangeId> settled) {
    ReplicaStatus.Merging merging = pair.merging();
    if (merging == null) {
      return begin(pair, settled);
    }
    return pair.isUndecided() ? continueMerge(pair, merging) : thaw(pair, merging);
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
    String hindrance = hindrance(pair, settled);
    if (hindrance != null) {
      hindrances.put(left.id(), hindrance);
      return null;
    }
    return new Step.Freeze(
        right.id(), Objects.requireNonNull(right.leader()), right.current(), left.current());
  }

  private @Nullable String hindrance(Pair pair, Set<RangeId> settled) {
    PlacedRange left = pair.left();
    PlacedRange right = pair.right();
    for (PlacedRange range : List.of(left, right)) {
      if (range.leader() == null) {
        return "range " + range.id() + " has no leader";
      } else if (range.isReshaped() || reshaping.isOvertaken(range.published())) {
        return "range " + range.id() + " is not yet published as it is now";
      } else if (!settled.contains(range.id())) {
        return "the replicas of range " + range.id() + " are not where they should be";
      } else if (range.merging() != null) {
        return "range " + range.id() + " is being merged with another one";
      }
    }
    if (!left.replicas().equals(right.replicas())) {
      return "range %s has %s, %s has %s"
          .formatted(left.id(), left.replicas(), right.id(), right.replicas());
    }
    String leftover = leftover(left);
    return leftover == null ? absence(left, right) : leftover;
  }

  /**
   * What is left of a replica that the group does not count any more may be taken in again with the
   * log that it has. It would find the merge there and have nothing of the right range.
   */
  private @Nullable String leftover(PlacedRange left) {
    for (NodeId node : Nodes.sorted(view.nodes().keySet())) {
      if (!view.reports().containsKey(node)) {
        return Nodes.absence(view, node) + ", and may have an old replica of " + left.id();
      } else if (left.holders().containsKey(node) && !left.members().contains(node)) {
        return "node " + node + " has an old replica of " + left.id();
      }
    }
    return null;
  }

  /** Whose replica could not take part; null if all can. */
  private @Nullable String absence(PlacedRange left, PlacedRange right) {
    for (NodeId node : Nodes.sorted(members(left.replicas()))) {
      if (!view.isUp(node)) {
        return "node " + node + " is not up";
      } else if (!left.isInService(node) || !right.isInService(node)) {
        return "node " + node + " says of no replica of both that it is in service";
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
      return null; // a leader that is behind, or none
    }
    ReplicaSet replicas = left.replicas();
    if (isFrozenEverywhere(pair, merging, replicas)) {
      return new Step.Absorb(left.id(), leader, left.current(), right.current(), replicas);
    }
    String why = whyNot(right, replicas);
    return why == null ? null : new Step.Renew(left.id(), leader, left.current(), right.id(), why);
  }

  /** Null as long as it may become something. */
  private @Nullable String whyNot(PlacedRange right, ReplicaSet replicas) {
    for (NodeId node : Nodes.sorted(members(replicas))) {
      if (!view.isUp(node)) {
        return "node " + node + " is not up";
      }
    }
    if (view.merges().canceled().contains(right.id())) {
      return "an operator has canceled it";
    }
    return view.merges().late().contains(right.id())
        ? "not every replica has stood still in time"
        : null;
  }

  /** So that the right range's rows are final, and on the disk of everybody who will need them. */
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
                      && isFor(merging, right.merging());
                });
  }

  private static boolean isFor(
      ReplicaStatus.Merging merging, ReplicaStatus.@Nullable Merging here) {
    return here != null
        && here.durable()
        && here.left().equals(merging.left())
        && here.leftVersion() == merging.leftVersion();
  }

  /** By the right range's leader, on a node that has the left one's new version. */
  private @Nullable Step thaw(Pair pair, ReplicaStatus.Merging merging) {
    PlacedRange right = pair.right();
    NodeId leader = right.leader();
    if (leader == null || right.leaderReport().merging() == null) {
      return null;
    } else if (pair.left().holders().containsKey(leader)) {
      return hasNewerView(pair.left(), leader, merging) ? new Step.Thaw(right.id(), leader) : null;
    }
    return Nodes.sorted(right.replicas().voters()).stream()
        .filter(node -> right.isInService(node) && hasNewerView(pair.left(), node, merging))
        .findFirst()
        .map(node -> new Step.Transfer(right.id(), leader, node))
        .orElse(null);
  }

  private static boolean hasNewerView(
      PlacedRange left, NodeId node, ReplicaStatus.Merging merging) {
    ReplicaReport here = left.holders().get(node);
    return here != null && here.epoch().version() > merging.leftVersion();
  }
}
