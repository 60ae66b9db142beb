package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Determines the voters that the ranges of one store should have, with as few changes as possible:
 * each range gets the configured number of voters, on live nodes and spread evenly.
 */
final class VoterAssignment {
  private final PlacementView view;
  private final int voters;
  private final List<PlacedRange> ranges;
  private final Map<RangeId, Set<NodeId>> assigned = new HashMap<>();

  /** Ranges that are being merged, so that their voters must be the same. */
  private final Set<RangeId> paired = new HashSet<>();

  /** Number of ranges that each node is a voter of, as planned so far. */
  private final Map<NodeId, Integer> voterCounts = new TreeMap<>(NodeSets.ORDER);

  private VoterAssignment(PlacementView view, int voters, List<PlacedRange> ranges) {
    this.view = view;
    this.voters = voters;
    this.ranges = ranges;
    view.nodes().keySet().forEach(node -> voterCounts.put(node, 0));
    ranges.forEach(range -> range.replicas().voters().forEach(this::addVoter));
  }

  /**
   * Returns the voters of every range; a range without a leader keeps its current voters, because
   * they cannot be changed.
   *
   * @param pairs merges, whose ranges get the same voters
   */
  static Map<RangeId, Set<NodeId>> of(
      PlacementView view, int voters, List<PlacedRange> ranges, List<MergePlan.Pair> pairs) {
    VoterAssignment plan = new VoterAssignment(view, voters, ranges);
    for (PlacedRange range : ranges) {
      Set<NodeId> now = range.replicas().voters();
      plan.assigned.put(range.id(), now);
      if (range.leader() != null) {
        plan.replace(range, plan.nextVoters(range));
      }
    }
    pairs.forEach(plan::assignSharedVoters);
    plan.spreadVoters();
    return plan.assigned;
  }

  private Set<NodeId> nextVoters(PlacedRange range) {
    Set<NodeId> now = range.replicas().voters();
    VoterLoadBalance.Move move = view.moves().get(range.id());
    if (move != null && range.rebuilding().isEmpty()) {
      return afterMove(now, move);
    }
    if (view.held().contains(range.id()) && changeReason(range) == null) {
      return now;
    }
    RangePin pin = view.pins().get(range.id());
    return pin == null ? chooseVoters(range) : pinnedVoters(range, pin);
  }

  /** Returns the pinned voters and, if the number of voters has been raised, others. */
  private Set<NodeId> pinnedVoters(PlacedRange range, RangePin pin) {
    List<NodeId> pinned = new ArrayList<>(NodeSets.sorted(pin.voters()));
    fill(pinned, chooseVoters(range).stream().filter(view::isUp).sorted(NodeSets.ORDER).toList());
    fill(pinned, leastLoaded(pin.voters()));
    return Set.copyOf(pinned);
  }

  /**
   * Returns why the voters of a range must change even if an operator cancels it; null if they may
   * stay.
   *
   * @param voters configured number of voters
   */
  static @Nullable String changeReason(PlacementView view, int voters, PlacedRange range) {
    return new VoterAssignment(view, voters, List.of(range)).changeReason(range);
  }

  /**
   * The same for voters that the range does not have yet.
   *
   * @param wanted voters that the range is to have
   */
  static @Nullable String changeReason(
      PlacementView view, int voters, PlacedRange range, Set<NodeId> wanted) {
    return new VoterAssignment(view, voters, List.of(range)).changeReason(range, wanted);
  }

  private @Nullable String changeReason(PlacedRange range) {
    return changeReason(range, range.replicas().voters());
  }

  private @Nullable String changeReason(PlacedRange range, Set<NodeId> wanted) {
    Set<NodeId> rebuilding = range.rebuilding();
    List<NodeId> now = NodeSets.sorted(wanted);
    List<NodeId> currentVoters = now.stream().filter(node -> !rebuilding.contains(node)).toList();
    for (NodeId node : now) {
      if (rebuilding.contains(node)) {
        return "the replica on node " + node + " is broken and is being rebuilt";
      } else if (rank(node).compareTo(minRetained(currentVoters)) > 0) {
        return "node " + node + " " + rank(node).reason;
      }
    }
    return null;
  }

  /** Gives both ranges of a pair the same voters. A frozen range keeps those it has. */
  private void assignSharedVoters(MergePlan.Pair pair) {
    Set<NodeId> sharedVoters =
        pair.isFrozen()
            ? pair.right().replicas().voters()
            : assigned.getOrDefault(pair.left().id(), Set.of());
    replace(pair.left(), sharedVoters);
    replace(pair.right(), sharedVoters);
    paired.add(pair.left().id());
    paired.add(pair.right().id());
  }

  private static Set<NodeId> afterMove(Set<NodeId> voters, VoterLoadBalance.Move move) {
    return NodeSets.with(NodeSets.without(voters, move.from()), move.to());
  }

  private void addVoter(NodeId node) {
    voterCounts.merge(node, 1, Integer::sum);
  }

  private void replace(PlacedRange range, Set<NodeId> next) {
    Set<NodeId> before = assigned.getOrDefault(range.id(), Set.of());
    NodeSets.missing(before, next).forEach(node -> voterCounts.merge(node, -1, Integer::sum));
    NodeSets.missing(next, before).forEach(this::addVoter);
    assigned.put(range.id(), next);
  }

  /** The preference for keeping a voter, best first. */
  private enum VoterRank {
    UP("is up"),
    /** DOWN, but may return soon. */
    DOWN("is down"),
    /** Stopping, but expected to return: stays if the other voters are a majority without it. */
    STOPPING("is stopping, and the other voters do not form a majority"),
    /** DOWN for a long time: stays only if there is no other node. */
    LOST("has been down for placementConfig.replaceAfter; start it to keep it as a voter"),
    /** Live, but being decommissioned: stays only if all other nodes are gone. */
    LEAVING("is being decommissioned"),
    /** No longer a member of the cluster. */
    REMOVED("was removed from the cluster");

    final String reason;

    VoterRank(String reason) {
      this.reason = reason;
    }
  }

  private VoterRank rank(NodeId node) {
    PlacementView.Node member = view.nodes().get(node);
    if (member == null) {
      return VoterRank.REMOVED;
    } else if (member.state() == Member.State.DOWN) {
      return member.lost() ? VoterRank.LOST : VoterRank.DOWN;
    }
    return switch (member.state()) {
      case DRAINING -> VoterRank.STOPPING;
      case LEAVING -> VoterRank.LEAVING;
      default -> VoterRank.UP;
    };
  }

  private Set<NodeId> chooseVoters(PlacedRange range) {
    Comparator<NodeId> byRank =
        Comparator.comparing(this::rank)
            .thenComparing(node -> voterCounts.getOrDefault(node, 0))
            .thenComparing(node -> !node.equals(range.leader()))
            .thenComparing(NodeSets.ORDER);
    Set<NodeId> rebuilding = range.rebuilding();
    List<NodeId> currentVoters =
        range.replicas().voters().stream()
            .filter(node -> !rebuilding.contains(node))
            .sorted(byRank)
            .toList();
    List<NodeId> kept = new ArrayList<>(currentVoters);
    kept.removeIf(node -> rank(node).compareTo(minRetained(currentVoters)) > 0);
    List<NodeId> candidates = leastLoaded(range.replicas().voters());
    candidates = candidates.stream().filter(node -> !rebuilding.contains(node)).toList();
    fill(kept, candidates.stream().filter(node -> !range.retired().contains(node)).toList());
    fill(
        kept,
        currentVoters.stream()
            .filter(node -> rank(node).compareTo(VoterRank.LEAVING) < 0)
            .toList());
    if (kept.isEmpty()) {
      fill(kept, currentVoters.stream().filter(node -> rank(node) != VoterRank.REMOVED).toList());
    }
    if (kept.isEmpty()) {
      return range.replicas().voters();
    }
    return new HashSet<>(kept.subList(0, Math.min(voters, kept.size())));
  }

  /** Returns the lowest rank at which a voter is kept without looking for another node. */
  private VoterRank minRetained(List<NodeId> currentVoters) {
    long good = currentVoters.stream().filter(node -> rank(node) == VoterRank.UP).count();
    return good * 2 > Math.min(voters, currentVoters.size()) ? VoterRank.STOPPING : VoterRank.DOWN;
  }

  private void fill(List<NodeId> kept, List<NodeId> more) {
    for (NodeId node : more) {
      if (kept.size() < voters && !kept.contains(node)) {
        kept.add(node);
      }
    }
  }

  private List<NodeId> leastLoaded(Set<NodeId> excluded) {
    return voterCounts.keySet().stream()
        .filter(node -> view.isUp(node) && !excluded.contains(node))
        .sorted(
            Comparator.<NodeId, Integer>comparing(voterCounts::get).thenComparing(NodeSets.ORDER))
        .toList();
  }

  /**
   * Spreads the voters: while one node is a voter of at least two ranges more than another, the
   * second replaces the first as a voter of one range. Each change lowers the sum of the squared
   * numbers, so this ends.
   */
  private void spreadVoters() {
    boolean changed = true;
    while (changed) {
      changed = spreadOneVoter();
    }
  }

  /** Tries all pairs of nodes, because the ranges of the node with most votes may be pinned. */
  private boolean spreadOneVoter() {
    List<NodeId> byCount = leastLoaded(Set.of());
    for (int i = byCount.size() - 1; i > 0; i--) {
      NodeId most = byCount.get(i);
      for (NodeId least : byCount.subList(0, i)) {
        PlacedRange moved = count(most) - count(least) < 2 ? null : movable(most, least);
        if (moved != null) {
          Set<NodeId> now = assigned.getOrDefault(moved.id(), Set.of());
          replace(moved, NodeSets.with(NodeSets.without(now, most), least));
          return true;
        }
      }
    }
    return false;
  }

  private int count(NodeId node) {
    return voterCounts.getOrDefault(node, 0);
  }

  /**
   * Returns a range of which {@code from} is a voter and {@code to} is not, preferably one that
   * {@code from} does not lead.
   */
  private @Nullable PlacedRange movable(NodeId from, NodeId to) {
    PlacedRange ledRange = null;
    for (PlacedRange range : ranges) {
      Set<NodeId> now = assigned.getOrDefault(range.id(), Set.of());
      boolean busy =
          paired.contains(range.id())
              || view.moves().containsKey(range.id())
              || view.isPinned(range.id())
              || view.held().contains(range.id());
      boolean isEligible = !range.retired().contains(to) && !range.rebuilding().contains(to);
      boolean isMovable = range.leader() != null && !busy && isEligible;
      if (isMovable && now.contains(from) && !now.contains(to)) {
        if (!from.equals(range.leader())) {
          return range;
        }
        ledRange = ledRange == null ? range : ledRange;
      }
    }
    return ledRange;
  }
}
