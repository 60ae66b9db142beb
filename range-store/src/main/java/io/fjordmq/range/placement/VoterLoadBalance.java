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
 * Spreads the write load of one store's voters over its nodes once the numbers of voters are even:
 * a voter moves from a busy node to a less busy one, or two voters swap nodes, if that helps enough
 * and keeps the numbers as even as they are. Every voter executes and stores every command of its
 * range, so the commands are its cost (decision 0032).
 */
final class VoterLoadBalance {
  /** Minimum difference between two nodes in commands per second; smaller ones are ignored. */
  private static final long MIN_DIFFERENCE = 500;

  /** Minimum difference as a share of the busier node's load. */
  private static final double MIN_RELATIVE_DIFFERENCE = 0.3;

  /**
   * Upper bound for the load of the busier node after a change, as a share of the higher load
   * before; a smaller gain does not justify a snapshot.
   */
  private static final double MAX_REMAINING_SHARE = 0.85;

  /** Seconds that every leader must have measured: a missing measurement would count as no load. */
  private static final int SETTLED_SECONDS = 10;

  private final PlacementView view;
  private final List<PlacedRange> ranges;

  /** Commands per second of the ranges that each node is a voter of. */
  private final Map<NodeId, Long> loads = new TreeMap<>(NodeSets.ORDER);

  private final Map<NodeId, Integer> voterCounts = new HashMap<>();

  /** Moves a voter of a range from one node to another. */
  record Move(RangeId range, NodeId from, NodeId to) {}

  private VoterLoadBalance(PlacementView view, List<PlacedRange> ranges) {
    this.view = view;
    this.ranges = ranges;
    view.nodes().keySet().stream().filter(view::isUp).forEach(node -> loads.put(node, 0L));
    for (PlacedRange range : ranges) {
      for (NodeId voter : range.replicas().voters()) {
        loads.computeIfPresent(voter, (node, load) -> load + writes(range));
        voterCounts.merge(voter, 1, Integer::sum);
      }
    }
  }

  /**
   * Returns the next change: one voter that moves, two that swap nodes, or nothing. Returns nothing
   * while anything else is in progress or wrong: a node that is not UP, a range that is being moved
   * or held, a merge.
   *
   * @param ranges all ranges of the store
   */
  static List<Move> next(PlacementView view, StorePlacement store, List<PlacedRange> ranges) {
    boolean allAreUp =
        view.reports().keySet().containsAll(view.nodes().keySet())
            && view.nodes().keySet().stream().allMatch(view::isUp);
    int voters = Math.min(store.voters(), view.nodes().size());
    return !store.onEveryNode() // otherwise every node executes every command anyway
            && allAreUp
            && view.merges().requested().isEmpty()
            && ranges.stream().allMatch(range -> isSettled(view, range, voters))
        ? new VoterLoadBalance(view, ranges).next()
        : List.of();
  }

  private static boolean isSettled(PlacementView view, PlacedRange range, int voters) {
    RangeLoadReport load = range.leader() == null ? null : range.leaderReport().load();
    Set<NodeId> now = range.replicas().voters();
    return load != null
        && load.seconds() >= SETTLED_SECONDS
        && !range.isChangedSincePublished()
        && range.merging() == null
        && range.isPublished()
        && now.size() == voters
        && range.holders().keySet().equals(range.members()) // no earlier move is unfinished
        && range.retired().isEmpty()
        && now.stream().allMatch(range::isInService)
        && !view.held().contains(range.id())
        && !view.busy().contains(range.id());
  }

  private static long writes(PlacedRange range) {
    RangeLoadReport load = range.leader() == null ? null : range.leaderReport().load();
    return load == null ? 0 : load.writes();
  }

  /** A range whose voter moves, and the one whose voter moves back in exchange (null if none). */
  private record Change(
      PlacedRange moved, @Nullable PlacedRange returned, long highest, int leaders) {
    boolean isExchange() {
      return returned != null;
    }
  }

  private List<Move> next() {
    List<NodeId> byLoad =
        loads.keySet().stream()
            .sorted(Comparator.<NodeId, Long>comparing(loads::get).thenComparing(NodeSets.ORDER))
            .toList();
    for (int busiest = byLoad.size() - 1; busiest > 0; busiest--) {
      for (int leastBusy = 0; leastBusy < busiest; leastBusy++) {
        List<Move> moves = between(byLoad.get(busiest), byLoad.get(leastBusy));
        if (!moves.isEmpty()) {
          return moves;
        }
      }
    }
    return List.of();
  }

  /**
   * Returns the best change between these two nodes. Every change lowers the sum of the squared
   * loads, so balancing terminates.
   */
  private List<Move> between(NodeId busiest, NodeId leastBusy) {
    long highest = load(busiest);
    if (highest - load(leastBusy) < Math.max(MIN_DIFFERENCE, MIN_RELATIVE_DIFFERENCE * highest)) {
      return List.of();
    }
    return changes(busiest, leastBusy).stream()
        .filter(change -> change.highest() <= MAX_REMAINING_SHARE * highest)
        .min(
            Comparator.comparingLong(Change::highest)
                .thenComparing(Change::isExchange)
                .thenComparing(Change::leaders))
        .map(change -> moves(change, busiest, leastBusy))
        .orElse(List.of());
  }

  private List<Change> changes(NodeId busiest, NodeId leastBusy) {
    List<Change> changes = new ArrayList<>();
    boolean evenWithoutOne = count(busiest) > count(leastBusy);
    for (PlacedRange moved : movable(busiest, leastBusy)) {
      if (evenWithoutOne) {
        changes.add(change(moved, null, busiest, leastBusy));
      }
      for (PlacedRange returned : movable(leastBusy, busiest)) {
        changes.add(change(moved, returned, busiest, leastBusy));
      }
    }
    return changes;
  }

  private List<PlacedRange> movable(NodeId from, NodeId to) {
    return ranges.stream()
        .filter(range -> !view.isPinned(range.id()))
        .filter(range -> range.replicas().voters().contains(from))
        .filter(range -> !range.replicas().voters().contains(to))
        .toList();
  }

  private Change change(
      PlacedRange moved, @Nullable PlacedRange returned, NodeId busiest, NodeId leastBusy) {
    long writesMoved = writes(moved) - (returned == null ? 0 : writes(returned));
    int leaders =
        (busiest.equals(moved.leader()) ? 1 : 0)
            + (returned != null && leastBusy.equals(returned.leader()) ? 1 : 0);
    return new Change(
        moved,
        returned,
        Math.max(load(busiest) - writesMoved, load(leastBusy) + writesMoved),
        leaders);
  }

  private long load(NodeId node) {
    return loads.getOrDefault(node, 0L);
  }

  private int count(NodeId node) {
    return voterCounts.getOrDefault(node, 0);
  }

  private static List<Move> moves(Change change, NodeId busiest, NodeId leastBusy) {
    Move move = new Move(change.moved().id(), busiest, leastBusy);
    PlacedRange returned = change.returned();
    return returned == null
        ? List.of(move)
        : List.of(move, new Move(returned.id(), leastBusy, busiest));
  }
}
