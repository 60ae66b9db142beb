package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Spreads what the voters of one store have to write over its nodes, where their numbers are even:
 * a vote moves from a node with much to one with little, or two change places, if that helps enough
 * and the numbers stay as even as they are. Every voter executes and stores every command of its
 * range, so that is what a vote costs (decision 0032).
 */
final class VoterLoad {
  /** Commands per second that one node must have more than another; below it is no matter. */
  private static final long LEAST_DIFFERENCE = 500;

  /** Of the busier node's, that the difference must be. */
  private static final double LEAST_SHARE = 0.3;

  /** Of the busier node's, that the one with more may have afterwards: a copy must be worth it. */
  private static final double WORTH_IT = 0.85;

  /** Seconds that every leader must have measured: what is missing would count as nothing. */
  private static final int SETTLED_SECONDS = 10;

  private final List<PlacedRange> ranges;

  /** Commands per second of the ranges that each node votes for. */
  private final Map<NodeId, Long> loads = new TreeMap<>(Nodes.ORDER);

  private final Map<NodeId, Integer> votes = new HashMap<>();

  /** One node gives its vote for a range to another. */
  record Move(RangeId range, NodeId from, NodeId to) {}

  private VoterLoad(PlacementView view, List<PlacedRange> ranges) {
    this.ranges = ranges;
    view.nodes().keySet().stream().filter(view::isUp).forEach(node -> loads.put(node, 0L));
    for (PlacedRange range : ranges) {
      for (NodeId voter : range.replicas().voters()) {
        loads.computeIfPresent(voter, (node, load) -> load + writes(range));
        votes.merge(voter, 1, Integer::sum);
      }
    }
  }

  /**
   * The next change: one vote that moves, two that are exchanged, or nothing. Nothing as well while
   * anything else is under way or wrong: a node away or not UP, a range on its way elsewhere, a
   * merge.
   *
   * @param ranges all of the store
   */
  static List<Move> next(PlacementView view, StorePlacement store, List<PlacedRange> ranges) {
    boolean allAreHere =
        view.reports().keySet().containsAll(view.nodes().keySet())
            && view.nodes().keySet().stream().allMatch(view::isUp);
    int voters = Math.min(store.voters(), view.nodes().size());
    return !store.onEveryNode() // else a vote costs a node nothing that it has not anyway
            && allAreHere
            && view.merges().wanted().isEmpty()
            && ranges.stream().allMatch(range -> isSettled(view, range, voters))
        ? new VoterLoad(view, ranges).next()
        : List.of();
  }

  private static boolean isSettled(PlacementView view, PlacedRange range, int voters) {
    ShapeReport shape = range.leader() == null ? null : range.leaderReport().shape();
    Set<NodeId> now = range.replicas().voters();
    return shape != null
        && shape.seconds() >= SETTLED_SECONDS
        && !range.isReshaped()
        && range.merging() == null
        && range.isPublished()
        && now.size() == voters
        && range.holders().keySet().equals(range.members()) // nothing is left of an earlier move
        && range.retired().isEmpty()
        && now.stream().allMatch(range::isInService)
        && !view.busy().contains(range.id());
  }

  private static long writes(PlacedRange range) {
    ShapeReport shape = range.leader() == null ? null : range.leaderReport().shape();
    return shape == null ? 0 : shape.writes();
  }

  /** What is given, and what comes in its place; null if nothing does. */
  private record Change(PlacedRange given, @Nullable PlacedRange taken, long highest, int leaders) {
    boolean isExchange() {
      return taken != null;
    }
  }

  private List<Move> next() {
    List<NodeId> byLoad =
        loads.keySet().stream()
            .sorted(Comparator.<NodeId, Long>comparing(loads::get).thenComparing(Nodes.ORDER))
            .toList();
    for (int most = byLoad.size() - 1; most > 0; most--) {
      for (int least = 0; least < most; least++) {
        List<Move> moves = between(byLoad.get(most), byLoad.get(least));
        if (!moves.isEmpty()) {
          return moves;
        }
      }
    }
    return List.of();
  }

  /** What helps these two; each lowers the sum of the squares, so that it comes to an end. */
  private List<Move> between(NodeId most, NodeId least) {
    long highest = load(most);
    if (highest - load(least) < Math.max(LEAST_DIFFERENCE, LEAST_SHARE * highest)) {
      return List.of();
    }
    return changes(most, least).stream()
        .filter(change -> change.highest() <= WORTH_IT * highest)
        .min(
            Comparator.comparingLong(Change::highest)
                .thenComparing(Change::isExchange)
                .thenComparing(Change::leaders))
        .map(change -> moves(change, most, least))
        .orElse(List.of());
  }

  private List<Change> changes(NodeId most, NodeId least) {
    List<Change> changes = new ArrayList<>();
    boolean evenWithoutOne = count(most) > count(least);
    for (PlacedRange given : movable(most, least)) {
      if (evenWithoutOne) {
        changes.add(change(given, null, most, least));
      }
      for (PlacedRange taken : movable(least, most)) {
        changes.add(change(given, taken, most, least));
      }
    }
    return changes;
  }

  private List<PlacedRange> movable(NodeId from, NodeId to) {
    return ranges.stream()
        .filter(range -> range.replicas().voters().contains(from))
        .filter(range -> !range.replicas().voters().contains(to))
        .toList();
  }

  private Change change(PlacedRange given, @Nullable PlacedRange taken, NodeId most, NodeId least) {
    long moved = writes(given) - (taken == null ? 0 : writes(taken));
    int leaders =
        (most.equals(given.leader()) ? 1 : 0)
            + (taken != null && least.equals(taken.leader()) ? 1 : 0);
    return new Change(given, taken, Math.max(load(most) - moved, load(least) + moved), leaders);
  }

  private long load(NodeId node) {
    return loads.getOrDefault(node, 0L);
  }

  private int count(NodeId node) {
    return votes.getOrDefault(node, 0);
  }

  private static List<Move> moves(Change change, NodeId most, NodeId least) {
    Move there = new Move(change.given().id(), most, least);
    PlacedRange taken = change.taken();
    return taken == null ? List.of(there) : List.of(there, new Move(taken.id(), least, most));
  }
}
