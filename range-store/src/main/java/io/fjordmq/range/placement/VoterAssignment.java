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
 * The voters that the ranges of one store should have: as few changes as possible until each range
 * has the configured number of voters, on live nodes, spread evenly.
 */
final class VoterAssignment {
  private final PlacementView view;
  private final int voters;
  private final List<PlacedRange> ranges;
  private final Map<RangeId, Set<NodeId>> wanted = new HashMap<>();

  /** Ranges that are being merged, so that their voters must be the same. */
  private final Set<RangeId> paired = new HashSet<>();

  /** Number of ranges that each node votes for, as planned so far. */
  private final Map<NodeId, Integer> load = new TreeMap<>(Nodes.ORDER);

  private VoterAssignment(PlacementView view, int voters, List<PlacedRange> ranges) {
    this.view = view;
    this.voters = voters;
    this.ranges = ranges;
    view.nodes().keySet().forEach(node -> load.put(node, 0));
    ranges.forEach(range -> range.replicas().voters().forEach(this::loaded));
  }

  /**
   * The voters of every range; a range without a leader keeps those it has, since it cannot be
   * changed.
   *
   * @param pairs merges, whose ranges get the same voters
   */
  static Map<RangeId, Set<NodeId>> of(
      PlacementView view, int voters, List<PlacedRange> ranges, List<MergePlan.Pair> pairs) {
    VoterAssignment plan = new VoterAssignment(view, voters, ranges);
    for (PlacedRange range : ranges) {
      Set<NodeId> now = range.replicas().voters();
      plan.wanted.put(range.id(), now);
      if (range.leader() != null) {
        VoterLoad.Move move = view.moves().get(range.id());
        plan.replace(
            range,
            move == null || !range.rebuilding().isEmpty() ? plan.enough(range) : moved(now, move));
      }
    }
    pairs.forEach(plan::pair);
    plan.spread();
    return plan.wanted;
  }

  /** A frozen range keeps its voters. */
  private void pair(MergePlan.Pair pair) {
    Set<NodeId> same =
        pair.isFrozen()
            ? pair.right().replicas().voters()
            : wanted.getOrDefault(pair.left().id(), Set.of());
    replace(pair.left(), same);
    replace(pair.right(), same);
    paired.add(pair.left().id());
    paired.add(pair.right().id());
  }

  private static Set<NodeId> moved(Set<NodeId> voters, VoterLoad.Move move) {
    return Nodes.with(Nodes.without(voters, move.from()), move.to());
  }

  private void loaded(NodeId node) {
    load.merge(node, 1, Integer::sum);
  }

  private void replace(PlacedRange range, Set<NodeId> next) {
    Set<NodeId> before = wanted.getOrDefault(range.id(), Set.of());
    Nodes.missing(before, next).forEach(node -> load.merge(node, -1, Integer::sum));
    Nodes.missing(next, before).forEach(this::loaded);
    wanted.put(range.id(), next);
  }

  /** How worthwhile it is to keep a voter; best first. */
  private enum Worth {
    GOOD,
    /** DOWN, and may be back soon. */
    AWAY,
    /** About to stop, and will be back: stays if the others can do without it in the meantime. */
    STOPPING,
    /** DOWN for long: stays only if there is no other node. */
    LOST,
    /** Alive, and being decommissioned: stays only if all others are gone. */
    LEAVING,
    /** No longer a member of the cluster. */
    GONE
  }

  private Worth worth(NodeId node) {
    PlacementView.Node member = view.nodes().get(node);
    if (member == null) {
      return Worth.GONE;
    } else if (member.state() == Member.State.DOWN) {
      return member.lost() ? Worth.LOST : Worth.AWAY;
    }
    return switch (member.state()) {
      case DRAINING -> Worth.STOPPING;
      case LEAVING -> Worth.LEAVING;
      default -> Worth.GOOD;
    };
  }

  private Set<NodeId> enough(PlacedRange range) {
    Comparator<NodeId> byWorth =
        Comparator.comparing(this::worth)
            .thenComparing(node -> load.getOrDefault(node, 0))
            .thenComparing(node -> !node.equals(range.leader()))
            .thenComparing(Nodes.ORDER);
    Set<NodeId> rebuilding = range.rebuilding();
    List<NodeId> have =
        range.replicas().voters().stream()
            .filter(node -> !rebuilding.contains(node))
            .sorted(byWorth)
            .toList();
    List<NodeId> kept = new ArrayList<>(have);
    kept.removeIf(node -> worth(node).compareTo(leastWorthKeeping(have)) > 0);
    List<NodeId> spare = leastLoaded(range.replicas().voters());
    spare = spare.stream().filter(node -> !rebuilding.contains(node)).toList();
    fill(kept, spare.stream().filter(node -> !range.retired().contains(node)).toList());
    fill(kept, have.stream().filter(node -> worth(node).compareTo(Worth.LEAVING) < 0).toList());
    if (kept.isEmpty()) {
      fill(kept, have.stream().filter(node -> worth(node) != Worth.GONE).toList());
    }
    if (kept.isEmpty()) {
      return range.replicas().voters();
    }
    return new HashSet<>(kept.subList(0, Math.min(voters, kept.size())));
  }

  /** The lowest worth at which a voter is kept without looking for another node. */
  private Worth leastWorthKeeping(List<NodeId> have) {
    long good = have.stream().filter(node -> worth(node) == Worth.GOOD).count();
    return good * 2 > Math.min(voters, have.size()) ? Worth.STOPPING : Worth.AWAY;
  }

  private void fill(List<NodeId> kept, List<NodeId> more) {
    for (NodeId node : more) {
      if (kept.size() < voters && !kept.contains(node)) {
        kept.add(node);
      }
    }
  }

  private List<NodeId> leastLoaded(Set<NodeId> besides) {
    return load.keySet().stream()
        .filter(node -> view.isUp(node) && !besides.contains(node))
        .sorted(Comparator.<NodeId, Integer>comparing(load::get).thenComparing(Nodes.ORDER))
        .toList();
  }

  /**
   * While one node votes for at least two ranges more than another, a vote moves from the first to
   * the second.
   */
  private void spread() {
    while (true) {
      List<NodeId> byLoad = leastLoaded(Set.of());
      if (byLoad.isEmpty()) {
        return;
      }
      NodeId least = byLoad.get(0);
      NodeId most = byLoad.get(byLoad.size() - 1);
      if (count(most) - count(least) < 2) {
        return;
      }
      PlacedRange moved = movable(most, least);
      if (moved == null) {
        return;
      }
      Set<NodeId> next = new HashSet<>(wanted.getOrDefault(moved.id(), Set.of()));
      next.remove(most);
      next.add(least);
      replace(moved, next);
    }
  }

  private int count(NodeId node) {
    return load.getOrDefault(node, 0);
  }

  /**
   * A range that one node votes for and the other does not, preferably one that the node does not
   * lead.
   */
  private @Nullable PlacedRange movable(NodeId from, NodeId to) {
    PlacedRange led = null;
    for (PlacedRange range : ranges) {
      Set<NodeId> now = wanted.getOrDefault(range.id(), Set.of());
      boolean busy = paired.contains(range.id()) || view.moves().containsKey(range.id());
      boolean open = !range.retired().contains(to) && !range.rebuilding().contains(to);
      boolean can = range.leader() != null && !busy && open;
      if (can && now.contains(from) && !now.contains(to)) {
        if (!from.equals(range.leader())) {
          return range;
        }
        led = led == null ? range : led;
      }
    }
    return led;
  }
}
