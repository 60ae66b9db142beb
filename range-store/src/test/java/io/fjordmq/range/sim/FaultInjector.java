package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimNetwork;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.testing.Simulation;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The failures of the nodes of a {@link SimStore} and of the network between them. */
public final class FaultInjector {
  /** A process does not restart before the last message of its previous incarnation has arrived. */
  private static final long RESTART_MILLIS = 200;

  private static final long TIMEOUT_MILLIS = 60_000;
  private static final long SETTLED_MILLIS = 1_000;

  private final SimCluster cluster;
  private final Simulation simulation;
  private final SimStore store;
  private final List<NodeId> nodes;
  private final Consumer<SimProcess> onStarted;
  private final Map<NodeId, Long> crashedAt = new HashMap<>();
  private final RandomMergeDriver merges;

  /**
   * @param onStarted called with the new process of a node once its store is open
   */
  public FaultInjector(
      SimCluster cluster, SimStore store, List<NodeId> nodes, Consumer<SimProcess> onStarted) {
    this.cluster = cluster;
    this.simulation = cluster.simulation();
    this.store = store;
    this.nodes = nodes;
    this.onStarted = onStarted;
    this.merges = new RandomMergeDriver(simulation, mergeNodes(), new SimCounts(), false);
  }

  private RandomMergeDriver.Nodes mergeNodes() {
    return new RandomMergeDriver.Nodes() {
      @Override
      public List<NodeId> ids() {
        return nodes;
      }

      @Override
      public @Nullable RangeStore store(NodeId node) {
        return store.store(node);
      }
    };
  }

  /** Starts all nodes on a network that loses, duplicates and delays messages. */
  public void startNodes() throws IOException {
    cluster.network().setFaults(SimNetwork.Faults.UNRELIABLE);
    for (NodeId node : nodes) {
      start(node);
    }
  }

  /** Causes a random failure; to be called repeatedly. */
  public void injectFault() throws IOException {
    NodeId node = nodes.get((int) simulation.between(0, nodes.size() - 1));
    if (!store.isUp(node)) {
      boolean terminated = simulation.now() - crashedAt.getOrDefault(node, 0L) > RESTART_MILLIS;
      if (terminated && simulation.chance(60)) {
        start(node);
      }
    } else if (simulation.chance(12)) {
      store.crash(node);
      crashedAt.put(node, simulation.now());
    } else {
      store.failDisk(node, simulation.chance(6));
    }
    if (simulation.chance(60)) {
      merges.takeStep();
    }
    if (simulation.chance(8)) {
      cluster.network().partition(nodes, List.of(node));
    } else if (simulation.chance(8)) {
      cluster.network().cut(node, nodes.get((int) simulation.between(0, nodes.size() - 1)));
    } else if (simulation.chance(30)) {
      cluster.network().heal();
    }
  }

  /** Ends all failures. */
  public void endFaults() throws IOException {
    simulation.run(RESTART_MILLIS);
    cluster.network().heal();
    cluster.network().setFaults(SimNetwork.Faults.NONE);
    for (NodeId node : nodes) {
      if (store.isUp(node)) {
        store.failDisk(node, false);
      } else {
        start(node);
      }
    }
    simulation.runUntil(
        "all replicas are open", () -> nodes.stream().allMatch(store::isInService), TIMEOUT_MILLIS);
    simulation.run(SETTLED_MILLIS); // earlier orders have been carried out, or never will be
    simulation.runUntil("no range is being merged", merges::endMerges, TIMEOUT_MILLIS);
  }

  private void start(NodeId node) throws IOException {
    store.start(node);
    onStarted.accept(cluster.host(node).process());
  }
}
