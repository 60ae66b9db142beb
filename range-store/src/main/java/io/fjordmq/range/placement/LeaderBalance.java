package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Spreads the leaders of one store over its nodes as evenly as the voters allow: while a node leads
 * at least two ranges more than another, one leadership moves from the first to the second, if
 * necessary by a chain of transfers through other nodes.
 */
final class LeaderBalance {
  private final PlacementView view;

  /** Ranges whose leadership can still be transferred in this plan. */
  private final List<PlacedRange> movable;

  /** Number of ranges that each node leads, as planned so far. */
  private final Map<NodeId, Integer> leaderCounts = new TreeMap<>(NodeSets.ORDER);

  private final Map<RangeId, NodeId> leaders = new HashMap<>();

  private LeaderBalance(PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
    this.view = view;
    this.movable = new ArrayList<>(movable);
    for (PlacedRange range : ranges) {
      range.replicas().voters().stream()
          .filter(view::isUp)
          .forEach(voter -> leaderCounts.putIfAbsent(voter, 0));
      NodeId leader = range.leader();
      if (leader != null) {
        leaderCounts.merge(leader, 1, Integer::sum);
        leaders.put(range.id(), leader);
      }
    }
  }

  /**
   * @param ranges all ranges of the store
   * @param movable ranges that need no other step
   */
  static List<Step> of(PlacementView view, List<PlacedRange> ranges, List<PlacedRange> movable) {
    LeaderBalance balance = new LeaderBalance(view, ranges, movable);
    List<Step> steps = new ArrayList<>();
    List<Step> path = balance.nextPath();
    while (!path.isEmpty()) {
      steps.addAll(path);
      path = balance.nextPath();
    }
    return steps;
  }

  /**
   * Returns the transfers that take one leader off a node with too many; empty if there are none.
   */
  private List<Step> nextPath() {
    List<NodeId> most =
        leaderCounts.keySet().stream()
            .filter(view::isUp)
            .sorted(
                Comparator.<NodeId, Integer>comparing(leaderCounts::get)
                    .reversed()
                    .thenComparing(NodeSets.ORDER))
            .toList();
    for (NodeId from : most) {
      Map<NodeId, Handover> handovers = new HashMap<>();
      NodeId to = findTarget(from, handovers);
      if (to != null) {
        return transfers(from, to, handovers);
      }
    }
    return List.of();
  }

  /** A range whose leadership can be transferred. */
  private record Handover(PlacedRange range, NodeId from) {}

  /**
   * Finds a node that should lead more ranges. Searches breadth-first, so that as few leaderships
   * as possible move.
   */
  private @Nullable NodeId findTarget(NodeId from, Map<NodeId, Handover> handovers) {
    Set<NodeId> visited = new HashSet<>();
    Deque<NodeId> queue = new ArrayDeque<>();
    visited.add(from);
    queue.add(from);
    while (!queue.isEmpty()) {
      NodeId node = queue.remove();
      if (count(from) - count(node) >= 2) {
        return node;
      }
      for (PlacedRange range : movable) {
        if (node.equals(leaders.get(range.id()))) {
          for (NodeId voter : NodeSets.sorted(range.replicas().voters())) {
            if (view.isUp(voter) && range.isInService(voter) && visited.add(voter)) {
              handovers.put(voter, new Handover(range, node));
              queue.add(voter);
            }
          }
        }
      }
    }
    return null;
  }

  private int count(NodeId node) {
    return leaderCounts.getOrDefault(node, 0);
  }

  private List<Step> transfers(NodeId from, NodeId to, Map<NodeId, Handover> handovers) {
    List<Step> steps = new ArrayList<>();
    NodeId target = to;
    while (!target.equals(from)) {
      Handover handover = Objects.requireNonNull(handovers.get(target));
      steps.add(new Step.Transfer(handover.range().id(), handover.from(), target));
      movable.remove(handover.range());
      target = handover.from();
    }
    leaderCounts.merge(from, -1, Integer::sum);
    leaderCounts.merge(to, 1, Integer::sum);
    return steps;
  }
}
