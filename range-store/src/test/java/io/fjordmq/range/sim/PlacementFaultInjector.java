package io.fjordmq.range.sim;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Injects the failures and operator requests of a run, a random one at each call. */
final class PlacementFaultInjector {
  private final Simulation simulation;
  private final SimNetwork network;
  private final PlacementCluster cluster;
  private final List<String> keys;
  private final boolean dropsEarly;
  private final boolean emptiesDamaged;

  /** Only half of the runs damage replicas: merges need replicas that are in service. */
  private final boolean damagesReplicas;

  private final PlacementMerges merges;
  private final PlacementPins pins;
  private final WordHistory history;
  private final SimCounts counts;
  private final Set<String> requestedKeys = new HashSet<>();
  private int staleReadChecks;

  /**
   * @param keys keys at which ranges may be split
   * @param dropsEarly a defect: nodes remove replicas that are still members of their groups
   * @param emptiesDamaged a defect: a node empties a damaged replica, which keeps its vote
   */
  PlacementFaultInjector(
      Simulation simulation,
      SimNetwork network,
      PlacementCluster cluster,
      List<String> keys,
      boolean dropsEarly,
      boolean emptiesDamaged,
      PlacementMerges merges,
      PlacementPins pins,
      WordHistory history,
      SimCounts counts) {
    this.simulation = simulation;
    this.network = network;
    this.cluster = cluster;
    this.keys = keys;
    this.dropsEarly = dropsEarly;
    this.emptiesDamaged = emptiesDamaged;
    this.damagesReplicas = emptiesDamaged || simulation.chance(50);
    this.merges = merges;
    this.pins = pins;
    this.history = history;
    this.counts = counts;
  }

  /** Whether a split at this key was requested. */
  boolean hasRequested(String key) {
    return requestedKeys.contains(key);
  }

  void injectFault() throws IOException {
    NodeId id = cluster.randomId();
    if (cluster.isRemoved(id)) {
      return;
    }
    injectNodeFault(id);
    if (simulation.chance(30)) {
      split();
    }
    if (simulation.chance(35)) {
      merges.requestMerge();
    }
    merges.cancelRandomChange();
    pins.changeRandomPin();
    if (simulation.chance(10)) {
      cluster.loads().changeAll();
    }
    if (simulation.chance(12)) {
      network.partition(cluster.ids(), List.of(id));
    } else if (simulation.chance(20)) {
      deposeSilently(cluster.randomRange());
    } else if (simulation.chance(8)) {
      network.cut(id, cluster.randomId());
    } else if (simulation.chance(35)) {
      network.heal();
    }
  }

  private void injectNodeFault(NodeId id) throws IOException {
    PlacementNode node = cluster.node(id);
    if (!node.isUp()) {
      if (simulation.chance(50)) {
        cluster.start(id);
      }
    } else if (simulation.chance(15)) {
      cluster.crash(id);
    } else if (simulation.chance(15)) {
      cluster.setState(id, randomNodeState());
    } else if (simulation.chance(15)) {
      cluster.setTargetVoters((int) simulation.between(1, 5));
    } else if (damagesReplicas && simulation.chance(12)) {
      damage(id, cluster.randomRange());
    } else if (dropsEarly) {
      node.ranges().store().localReplicas().drop(cluster.firstRanges().get(0).id(), Long.MAX_VALUE);
    }
  }

  /** At most one replica of a range at a time; otherwise its group might lose its majority. */
  private void damage(NodeId id, RangeDescriptor range) throws IOException {
    ReplicaStatus leader = cluster.leaderOf(range.id());
    ReplicaStatus replica = cluster.node(id).ranges().status(range.id());
    if (leader == null
        || replica == null
        || (leader.voters().contains(id) && leader.voters().size() < 3)
        || cluster.damagedReplicas().isDamagedAnywhere(range.id())) {
      return;
    }
    cluster.damagedReplicas().add(range.id(), id);
    counts.damagedReplicas++;
    if (emptiesDamaged) {
      HashSet<NodeId> others = new HashSet<>(leader.voters());
      others.remove(id);
      RangeDescriptor without =
          new RangeDescriptor(
              range.id(),
              replica.descriptor().interval(),
              replica.descriptor().epoch(),
              new ReplicaSet(others, Set.of()));
      RangeStore store = cluster.node(id).ranges().store();
      store
          .localReplicas()
          .drop(range.id(), Long.MAX_VALUE)
          .thenCompose(dropped -> store.localReplicas().forget(range.id()))
          .thenCompose(forgotten -> store.localReplicas().ensure(without));
    } else if (simulation.chance(50)) {
      cluster.crash(id);
      cluster.start(id);
    }
  }

  private Member.State randomNodeState() {
    if (simulation.chance(50)) {
      return Member.State.UP;
    }
    return simulation.chance(50) ? Member.State.DRAINING : Member.State.LEAVING;
  }

  private void split() {
    PlacementNode leader = cluster.metadataLeader();
    String key = keys.get((int) simulation.between(0, keys.size() - 1));
    RangeDescriptor range = cluster.randomRange();
    if (leader != null
        && range.interval().contains(key.getBytes(UTF_8))
        && !Arrays.equals(range.interval().start(), key.getBytes(UTF_8))) {
      requestedKeys.add(key);
      leader
          .running()
          .driver()
          .split(range.id(), key.getBytes(UTF_8))
          .thenRun(() -> counts.splits++);
    }
  }

  /**
   * A leader transfers its leadership and is immediately partitioned from the other nodes, but not
   * from clients.
   */
  private void deposeSilently(RangeDescriptor range) {
    ReplicaStatus leader = cluster.leaderOf(range.id());
    String key =
        keys.stream()
            .filter(k -> range.interval().contains(k.getBytes(UTF_8)))
            .findFirst()
            .orElse(null);
    if (key == null || leader == null || leader.voters().size() < 3) {
      return;
    }
    NodeId old = leader.node();
    NodeId next =
        cluster.ids().stream()
            .filter(id -> !id.equals(old))
            .filter(leader.voters()::contains)
            .findFirst()
            .orElseThrow();
    cluster.node(old).ranges().store().leaderOperations().transferLeadership(range.id(), next);
    simulation.schedule(
        simulation.between(1, 25), () -> network.partition(cluster.ids(), List.of(old)));
    StaleReadCheck probe =
        new StaleReadCheck(simulation, history, range.id(), key, ++staleReadChecks, counts);
    for (int delay = 10; delay < 200; delay += 10) {
      simulation.schedule(
          delay,
          () -> {
            ReplicaStatus now = cluster.leaderOf(range.id());
            if (now != null && now.node().equals(next) && cluster.node(old).isUp()) {
              probe.run(cluster.node(next).ranges(), cluster.node(old).ranges());
            }
          });
    }
  }
}
