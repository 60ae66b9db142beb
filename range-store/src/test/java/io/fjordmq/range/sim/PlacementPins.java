package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.placement.RangePin;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/** Ranges that an operator pins to nodes, up or not, while the cluster is disturbed. */
final class PlacementPins {
  private static final int MAX_VOTERS = 3;

  private final PlacementCluster cluster;
  private final SimCounts counts;
  private final Random operator;

  /** Whether an operator pins ranges in this run; the other runs stay as they were. */
  private final boolean active;

  PlacementPins(Simulation simulation, PlacementCluster cluster, SimCounts counts) {
    this.cluster = cluster;
    this.counts = counts;
    this.operator = new Random(simulation.seed() + 1);
    this.active = simulation.seed() % 4 == 3;
  }

  /** Pins or unpins a random range, or does nothing. */
  void changeRandomPin() {
    if (!active || operator.nextInt(3) > 0) {
      return;
    }
    List<RangeDescriptor> all = cluster.ranges();
    RangeId range = all.get(operator.nextInt(all.size())).id();
    RangePin.Stored now = cluster.pins().get(range);
    if (now != null && operator.nextInt(3) == 0) {
      cluster.write(List.of(RangePin.remove(range, now.version())));
      return;
    }
    List<NodeId> ids = cluster.ids();
    Set<NodeId> voters = new HashSet<>();
    for (int i = 1 + operator.nextInt(MAX_VOTERS); i > 0; i--) {
      voters.add(ids.get(operator.nextInt(ids.size())));
    }
    NodeId leader = operator.nextBoolean() ? voters.iterator().next() : null;
    long version = now == null ? Change.ABSENT : now.version();
    cluster.write(List.of(RangePin.put(range, new RangePin(voters, leader), version)));
    counts.pins++;
  }

  /** Unpins about half of the ranges, so that runs end with and without pins. */
  void unpinSome() {
    cluster
        .pins()
        .forEach(
            (range, pin) -> {
              if (operator.nextBoolean()) {
                cluster.write(List.of(RangePin.remove(range, pin.version())));
              }
            });
  }

  /** Whether every pinned range has the voters and the leader that it should have. */
  static boolean areFollowed(PlacementCluster cluster) {
    return cluster.pins().entrySet().stream().allMatch(pin -> isFollowed(cluster, pin));
  }

  private static boolean isFollowed(
      PlacementCluster cluster, Map.Entry<RangeId, RangePin.Stored> pinned) {
    ReplicaStatus leader = cluster.leaderOf(pinned.getKey());
    RangePin pin = pinned.getValue().pin();
    return leader != null
        && cluster.ranges().stream().anyMatch(range -> range.id().equals(pinned.getKey()))
        && leader.voters().containsAll(pin.voters())
        && (pin.leader() == null || pin.leader().equals(leader.node()));
  }
}
