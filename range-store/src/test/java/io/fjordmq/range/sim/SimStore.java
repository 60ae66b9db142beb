package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.Timers;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One store on simulated nodes that crash and start again, for simulations of what stands above the
 * range engine. A crash loses some of what the state storage has not flushed.
 */
public final class SimStore {
  private final SimCluster cluster;
  private final Path installs;
  private final Function<NodeId, StoreSpec> specs;
  private final List<RangeDescriptor> ranges;
  private final Map<NodeId, Node> nodes = new HashMap<>();

  private static final class Node {
    final SimKv.Disk disk = new SimKv.Disk();
    @Nullable SimKv kv;
  }

  /**
   * @param specs makes the store's code of a node's next life
   */
  public SimStore(
      SimCluster cluster, List<NodeId> nodes, Path installs, Function<NodeId, StoreSpec> specs) {
    this.cluster = cluster;
    this.installs = installs;
    this.specs = specs;
    ReplicaSet members = ReplicaSet.ofVoters(nodes.toArray(NodeId[]::new));
    this.ranges = RangeStore.initialRanges(specs.apply(nodes.get(0)), members);
    nodes.forEach(id -> this.nodes.put(id, new Node()));
  }

  /** Starts a node that is down. */
  public void start(NodeId id) throws IOException {
    Node node = node(id);
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    // Flushes are done when asked for: their delays are RangeSimulation's matter.
    SimKv kv = new SimKv(node.disk, Runnable::run);
    node.kv = kv;
    StoreSpec spec = specs.apply(id);
    RangeRuntime runtime =
        new RangeRuntime(
            process.simulation().clock(),
            SimNode.timers(process),
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run);
    RangeStore store =
        RangeStore.open(id, host, kv, List.of(spec), settings(id), runtime, RangeObserver.NONE);
    store.createInitialRanges(ranges);
    SimTransport.serve(cluster.network(), id, store);
  }

  private RangeStoreSettings settings(NodeId id) {
    return new RangeStoreSettings(
        installs.resolve(id.value()),
        1 << 20,
        4096,
        16,
        Duration.ofMillis(400),
        20_000,
        Duration.ofMillis(50),
        Duration.ofMillis(400));
  }

  public boolean isUp(NodeId id) {
    return node(id).kv != null;
  }

  public void crash(NodeId id) {
    Node node = node(id);
    SimKv kv = node.kv;
    if (kv == null) {
      throw new IllegalStateException(id + " is down already");
    }
    cluster.crash(id);
    kv.kill();
    node.kv = null;
    node.disk.crash(unflushed -> (int) cluster.simulation().between(0, unflushed));
  }

  private Node node(NodeId id) {
    Node node = nodes.get(id);
    if (node == null) {
      throw new IllegalArgumentException("no node " + id);
    }
    return node;
  }

  /** A client in a process of its own; its calls travel over the simulated network. */
  public RoutedRangeClient client(SimProcess process, RangeClientSettings settings) {
    return new RoutedRangeClient(
        ranges.get(0).id().store(),
        ranges,
        new SimTransport(cluster, process.node()),
        SimNode.timers(process),
        settings,
        RangeObserver.NONE);
  }

  /** Time of a simulated process. */
  public static Timers timers(SimProcess process) {
    return SimNode.timers(process);
  }
}
