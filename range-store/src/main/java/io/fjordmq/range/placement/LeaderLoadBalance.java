package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Spreads the load of one store's leaders over its nodes once {@link LeaderBalance} has nothing
 * more to do: a leader moves from a busy node to a less busy one, or two leaders swap nodes, if
 * that helps enough and keeps the numbers of leaders as even as they are.
 */
final class LeaderLoadBalance {
  /*
   * A measurement shorter than a full window is not reliable, and after each transfer the new
   * leader starts measuring from scratch. Therefore there is one change at a time, and the next
   * change waits until the effect of the previous one is visible.
   */
  private static final int SETTLED_SECONDS = 10;

  /** Minimum difference between two nodes in requests per second; smaller ones are ignored. */
  private static final long MIN_DIFFERENCE = 500;

  /** Minimum difference as a share of the busier node's load. */
  private static final double MIN_RELATIVE_DIFFERENCE = 0.3;

  /**
   * Maximum load of the busier of the two nodes after the change, as a share of the maximum before.
   */
  private static final double MAX_REMAINING_SHARE = 0.9;

  private final PlacementView view;
  private final List<PlacedRange> movable;

  /** Requests per second of the ranges that each node leads. */
  private final Map<NodeId, Long> loads = new TreeMap<>(NodeSets.ORDER);

  private final Map<NodeId, Integer> leaderCounts = new HashMap<>();

  private LeaderLoadBalance(
      PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
    this.view = view;
    this.movable = movable;
    for (PlacedRange range : ranges) {
      range.replicas().voters().stream()
          .filter(view::isUp)
          .forEach(voter -> loads.putIfAbsent(voter, 0L));
    }
    for (PlacedRange range : ranges) {
      NodeId leader = range.leader();
      if (leader != null) {
        leaderCounts.merge(leader, 1, Integer::sum);
        loads.computeIfPresent(leader, (node, load) -> load + requests(range));
      }
    }
  }

  /**
   * @param ranges all ranges of the store
   * @param movable ranges that need no other step
   */
  static List<Step> of(PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
    return ranges.stream().allMatch(LeaderLoadBalance::isSettled)
        ? new LeaderLoadBalance(view, ranges, movable).steps()
        : List.of();
  }

  private static boolean isSettled(PlacedRange range) {
    RangeLoadReport load = range.leader() == null ? null : range.leaderReport().load();
    return load != null && load.seconds() >= SETTLED_SECONDS;
  }

  private static long requests(PlacedRange range) {
    RangeLoadReport load = range.leader() == null ? null : range.leaderReport().load();
    return load == null ? 0 : load.requests();
  }

  /**
   * A range whose leadership moves, and the one whose leadership moves back in exchange (null if
   * none).
   */
  private record Change(PlacedRange moved, @Nullable PlacedRange returned, long highest) {
    boolean isExchange() {
      return returned != null;
    }
  }

  private List<Step> steps() {
    List<NodeId> byLoad =
        loads.keySet().stream()
            .sorted(Comparator.<NodeId, Long>comparing(loads::get).thenComparing(NodeSets.ORDER))
            .toList();
    for (int busiest = byLoad.size() - 1; busiest > 0; busiest--) {
      for (int leastBusy = 0; leastBusy < busiest; leastBusy++) {
        List<Step> steps = between(byLoad.get(busiest), byLoad.get(leastBusy));
        if (!steps.isEmpty()) {
          return steps;
        }
      }
    }
    return List.of();
  }

  /**
   * Returns the best change between these two nodes. Every change lowers the sum of the squared
   * loads, so balancing terminates.
   */
  private List<Step> between(NodeId busiest, NodeId leastBusy) {
    long highest = load(busiest);
    if (highest - load(leastBusy) < Math.max(MIN_DIFFERENCE, MIN_RELATIVE_DIFFERENCE * highest)) {
      return List.of();
    }
    return changes(busiest, leastBusy).stream()
        .min(Comparator.comparingLong(Change::highest).thenComparing(Change::isExchange))
        .filter(change -> change.highest() <= MAX_REMAINING_SHARE * highest)
        .map(change -> transfers(change, busiest, leastBusy))
        .orElse(List.of());
  }

  private List<Change> changes(NodeId busiest, NodeId leastBusy) {
    List<Change> changes = new ArrayList<>();
    boolean evenWithoutOne = count(busiest) > count(leastBusy);
    for (PlacedRange moved : movable) {
      if (busiest.equals(moved.leader()) && canLead(moved, leastBusy)) {
        if (evenWithoutOne) {
          changes.add(change(moved, null, busiest, leastBusy));
        }
        for (PlacedRange returned : movable) {
          if (leastBusy.equals(returned.leader()) && canLead(returned, busiest)) {
            changes.add(change(moved, returned, busiest, leastBusy));
          }
        }
      }
    }
    return changes;
  }

  private Change change(
      PlacedRange moved, @Nullable PlacedRange returned, NodeId busiest, NodeId leastBusy) {
    long requestsMoved = requests(moved) - (returned == null ? 0 : requests(returned));
    return new Change(
        moved, returned, Math.max(load(busiest) - requestsMoved, load(leastBusy) + requestsMoved));
  }

  private boolean canLead(PlacedRange range, NodeId node) {
    return range.replicas().voters().contains(node) && view.isUp(node) && range.isInService(node);
  }

  private long load(NodeId node) {
    return loads.getOrDefault(node, 0L);
  }

  private int count(NodeId node) {
    return leaderCounts.getOrDefault(node, 0);
  }

  private static List<Step> transfers(Change change, NodeId busiest, NodeId leastBusy) {
    RangeId moved = change.moved().id();
    PlacedRange returned = change.returned();
    Step transfer = new Step.Transfer(moved, busiest, leastBusy);
    return returned == null
        ? List.of(transfer)
        : List.of(transfer, new Step.Transfer(returned.id(), leastBusy, busiest));
  }
}
