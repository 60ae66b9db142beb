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
 * Spreads what the leaders of one store have to do over its nodes, where {@link LeaderBalance} has
 * nothing to do: a leader moves from a node with much to one with little, or two change places, if
 * that helps enough and the numbers of leaders stay as even as they are.
 */
final class LeaderLoad {
  /*
   * What was measured for less than a whole window says too little, and after each hand-over the
   * new leader measures anew: so there is one change at a time, and no more before it shows.
   */
  private static final int SETTLED_SECONDS = 10;

  /** Requests per second that one node must have more than another; below it is no matter. */
  private static final long LEAST_DIFFERENCE = 500;

  /** Of the busier node's, that the difference must be. */
  private static final double LEAST_SHARE = 0.3;

  /** Of the busier node's, that the one with more may have afterwards. */
  private static final double WORTH_IT = 0.9;

  private final PlacementView view;
  private final List<PlacedRange> movable;

  /** Requests per second of the ranges that each node leads. */
  private final Map<NodeId, Long> loads = new TreeMap<>(Nodes.ORDER);

  private final Map<NodeId, Integer> leads = new HashMap<>();

  private LeaderLoad(PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
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
        leads.merge(leader, 1, Integer::sum);
        loads.computeIfPresent(leader, (node, load) -> load + requests(range));
      }
    }
  }

  /**
   * @param ranges all of the store
   * @param movable those for which nothing else is to be done
   */
  static List<Step> of(PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
    return ranges.stream().allMatch(LeaderLoad::isSettled)
        ? new LeaderLoad(view, ranges, movable).steps()
        : List.of();
  }

  private static boolean isSettled(PlacedRange range) {
    ShapeReport shape = range.leader() == null ? null : range.leaderReport().shape();
    return shape != null && shape.seconds() >= SETTLED_SECONDS;
  }

  private static long requests(PlacedRange range) {
    ShapeReport shape = range.leader() == null ? null : range.leaderReport().shape();
    return shape == null ? 0 : shape.requests();
  }

  /** What is handed over, and what comes in its place; null if nothing does. */
  private record Change(PlacedRange given, @Nullable PlacedRange taken, long highest) {
    boolean isExchange() {
      return taken != null;
    }
  }

  private List<Step> steps() {
    List<NodeId> byLoad =
        loads.keySet().stream()
            .sorted(Comparator.<NodeId, Long>comparing(loads::get).thenComparing(Nodes.ORDER))
            .toList();
    for (int most = byLoad.size() - 1; most > 0; most--) {
      for (int least = 0; least < most; least++) {
        List<Step> steps = between(byLoad.get(most), byLoad.get(least));
        if (!steps.isEmpty()) {
          return steps;
        }
      }
    }
    return List.of();
  }

  /** What helps these two; each lowers the sum of the squares, so that it comes to an end. */
  private List<Step> between(NodeId most, NodeId least) {
    long highest = load(most);
    if (highest - load(least) < Math.max(LEAST_DIFFERENCE, LEAST_SHARE * highest)) {
      return List.of();
    }
    return changes(most, least).stream()
        .min(Comparator.comparingLong(Change::highest).thenComparing(Change::isExchange))
        .filter(change -> change.highest() <= WORTH_IT * highest)
        .map(change -> transfers(change, most, least))
        .orElse(List.of());
  }

  private List<Change> changes(NodeId most, NodeId least) {
    List<Change> changes = new ArrayList<>();
    boolean evenWithoutOne = count(most) > count(least);
    for (PlacedRange given : movable) {
      if (most.equals(given.leader()) && canLead(given, least)) {
        if (evenWithoutOne) {
          changes.add(change(given, null, most, least));
        }
        for (PlacedRange taken : movable) {
          if (least.equals(taken.leader()) && canLead(taken, most)) {
            changes.add(change(given, taken, most, least));
          }
        }
      }
    }
    return changes;
  }

  private Change change(PlacedRange given, @Nullable PlacedRange taken, NodeId most, NodeId least) {
    long moved = requests(given) - (taken == null ? 0 : requests(taken));
    return new Change(given, taken, Math.max(load(most) - moved, load(least) + moved));
  }

  private boolean canLead(PlacedRange range, NodeId node) {
    return range.replicas().voters().contains(node) && view.isUp(node) && range.isInService(node);
  }

  private long load(NodeId node) {
    return loads.getOrDefault(node, 0L);
  }

  private int count(NodeId node) {
    return leads.getOrDefault(node, 0);
  }

  private static List<Step> transfers(Change change, NodeId most, NodeId least) {
    RangeId given = change.given().id();
    PlacedRange taken = change.taken();
    Step there = new Step.Transfer(given, most, least);
    return taken == null
        ? List.of(there)
        : List.of(there, new Step.Transfer(taken.id(), least, most));
  }
}
