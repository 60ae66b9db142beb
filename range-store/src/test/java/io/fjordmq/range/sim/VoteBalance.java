package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Checks that the votes are balanced: the loads of the most and the least loaded node are close, or
 * neither moving one vote nor swapping two between them would reduce the higher load by 15 % or
 * more. Implemented independently of the plan that it checks.
 */
final class VoteBalance {
  private final Map<NodeId, List<RangeDescriptor>> votes = new HashMap<>();
  private final SyntheticLoads loads;

  /**
   * @param ranges the ranges and their current voters
   */
  VoteBalance(Set<NodeId> nodes, List<RangeDescriptor> ranges, SyntheticLoads loads) {
    this.loads = loads;
    nodes.forEach(node -> votes.put(node, new ArrayList<>()));
    for (RangeDescriptor range : ranges) {
      for (NodeId voter : range.replicas().voters()) {
        List<RangeDescriptor> own = votes.get(voter);
        if (own != null) {
          own.add(range);
        }
      }
    }
  }

  boolean isEven() {
    List<NodeId> byLoad =
        votes.keySet().stream().sorted(Comparator.comparingLong(this::load)).toList();
    List<RangeDescriptor> most = of(byLoad.get(byLoad.size() - 1));
    List<RangeDescriptor> least = of(byLoad.get(0));
    long high = sum(most);
    long low = sum(least);
    if (high - low < Math.max(500, 0.3 * high)) {
      return true;
    }
    for (RangeDescriptor given : without(most, least)) {
      if (most.size() > least.size() && helps(high, low, loads.loadOf(given.id()))) {
        return false;
      }
      for (RangeDescriptor taken : without(least, most)) {
        if (helps(high, low, loads.loadOf(given.id()) - loads.loadOf(taken.id()))) {
          return false;
        }
      }
    }
    return true;
  }

  private static boolean helps(long high, long low, long moved) {
    return Math.max(high - moved, low + moved) <= 0.85 * high;
  }

  private static List<RangeDescriptor> without(
      List<RangeDescriptor> some, List<RangeDescriptor> others) {
    return some.stream().filter(range -> !others.contains(range)).toList();
  }

  private List<RangeDescriptor> of(NodeId node) {
    return Objects.requireNonNull(votes.get(node));
  }

  private long load(NodeId node) {
    return sum(of(node));
  }

  private long sum(List<RangeDescriptor> ranges) {
    return ranges.stream().mapToLong(range -> loads.loadOf(range.id())).sum();
  }
}
