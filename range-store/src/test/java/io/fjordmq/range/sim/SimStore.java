package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.cluster.consensus.sim.SimTimers;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.SimKv;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One store on simulated nodes that crash and restart, for simulations of the code above the range
 * engine. A crash loses some of the writes that the state storage has not flushed.
 */
public final class SimStore {
  private static final RangeStoreSettings SETTINGS = RangeSimSettings.STORE;

  private final SimCluster cluster;
  private final Path installDirectory;
  private final Function<NodeId, StoreSpec> specs;
  private final List<RangeDescriptor> initial;

  /** The newest descriptor of each range that any node has had. */
  private final Map<RangeId, RangeDescriptor> latestDescriptors = new HashMap<>();

  private long lastNumber = 1_000;
  private final Map<NodeId, Node> nodes = new HashMap<>();
  private final StoreWatch watch = new StoreWatch();
  private final RangeObserver observer;

  private static final class Node {
    final SimKv.Disk disk = new SimKv.Disk();
    @Nullable RunningNode running;
  }

  /** The components of a node between a start and a crash. */
  private record RunningNode(SimKv kv, RangeStore store, UnaryOperator<byte[]> cuts) {}

  /**
   * @param specs creates the store's spec for the next incarnation of a node
   */
  public SimStore(
      SimCluster cluster,
      List<NodeId> nodes,
      Path installDirectory,
      Function<NodeId, StoreSpec> specs) {
    this(cluster, nodes, installDirectory, specs, RangeObserver.NONE);
  }

  /**
   * @param observer observer of all nodes and clients
   */
  public SimStore(
      SimCluster cluster,
      List<NodeId> nodes,
      Path installDirectory,
      Function<NodeId, StoreSpec> specs,
      RangeObserver observer) {
    this.observer = observer;
    this.cluster = cluster;
    this.installDirectory = installDirectory;
    this.specs = specs;
    ReplicaSet members = ReplicaSet.ofVoters(nodes.toArray(NodeId[]::new));
    this.initial = specs.apply(nodes.get(0)).initialRanges(members);
    nodes.forEach(id -> this.nodes.put(id, new Node()));
  }

  /** Starts a node that is down. */
  public void start(NodeId id) throws IOException {
    Node node = node(id);
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    // Flushes complete synchronously: RangeSimulation covers delayed ones.
    SimKv kv = new SimKv(node.disk, Runnable::run);
    StoreSpec spec = watch.wrap(id, specs.apply(id), range -> term(id, range));
    RangeRuntime runtime =
        new RangeRuntime(
            process.simulation().clock(),
            SimTimers.of(process),
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    RangeStore store =
        RangeStore.open(
            id,
            host,
            kv,
            List.of(spec),
            installDirectory.resolve(id.value()),
            SETTINGS,
            runtime,
            observer);
    store.createInitialRanges(initial);
    SimTransport.serve(cluster.network(), id, store.transportForOtherNodes());
    node.running = new RunningNode(kv, store, spec.splitKeyFloor());
  }

  private long term(NodeId node, RangeId range) {
    for (ReplicaStatus replica : status(node)) {
      GroupStatus group = replica.group();
      if (replica.descriptor().id().equals(range) && group != null) {
        return group.leadership().term();
      }
    }
    throw new IllegalStateException(node + " has no open replica of " + range);
  }

  public boolean isUp(NodeId id) {
    return node(id).running != null;
  }

  public void crash(NodeId id) {
    Node node = node(id);
    RunningNode running = running(id);
    cluster.crash(id);
    watch.onCrashed(id);
    running.kv.kill();
    node.running = null;
    node.disk.failWith(null);
    node.disk.crash(unflushed -> (int) cluster.simulation().between(0, unflushed));
  }

  /** Makes writes to the node's state fail, or succeed again. */
  public void failDisk(NodeId id, boolean fail) {
    node(id).disk.failWith(fail ? new KvException(KvException.Kind.DISK_FULL, "simulated") : null);
  }

  /**
   * Returns the nodes on which a replica was opened, changed or became leader since the last call.
   */
  public Set<NodeId> takeChanged() {
    return watch.takeChanged();
  }

  /**
   * The node that was the last to become leader of a range; null if it has crashed since. Until
   * another node becomes leader, it has applied everything that any client knows to be applied.
   */
  public @Nullable NodeId lastLeader(RangeId range) {
    return watch.lastLeader(range);
  }

  /** The current ranges: of two that overlap, the one that was split later. */
  public List<RangeDescriptor> ranges() {
    initial.forEach(range -> latestDescriptors.putIfAbsent(range.id(), range));
    for (Node node : nodes.values()) {
      if (node.running != null) {
        node.running
            .store
            .descriptors(storeName())
            .forEach(range -> latestDescriptors.merge(range.id(), range, SimStore::newer));
      }
    }
    List<RangeDescriptor> kept = new ArrayList<>();
    latestDescriptors.values().stream()
        .sorted(
            Comparator.comparingLong((RangeDescriptor range) -> range.epoch().version())
                .reversed()
                .thenComparingLong(range -> range.id().number()))
        .filter(range -> kept.stream().noneMatch(k -> k.interval().overlaps(range.interval())))
        .forEach(kept::add);
    return kept;
  }

  private static RangeDescriptor newer(RangeDescriptor one, RangeDescriptor other) {
    return other.epoch().version() > one.epoch().version() ? other : one;
  }

  private String storeName() {
    return initial.get(0).id().store();
  }

  /** Splits the range that holds the key, at or before the key, if this node leads it. */
  public void split(NodeId id, byte[] key) {
    byte[] cut = running(id).cuts.apply(key);
    for (ReplicaStatus replica : status(id)) {
      RangeDescriptor range = replica.descriptor();
      if (replica.leading() && range.interval().contains(cut)) {
        running(id)
            .store
            .leaderOperations()
            .split(range.id(), range.epoch().version(), cut, ++lastNumber);
        return;
      }
    }
  }

  /** The replicas of a node; null while it is down. */
  @Nullable RangeStore store(NodeId id) {
    RunningNode running = node(id).running;
    return running == null ? null : running.store;
  }

  /** The status of the replicas of a live node. */
  public List<ReplicaStatus> status(NodeId id) {
    return running(id).store.status();
  }

  /**
   * Whether all replicas of a node are in service, so that the state derived from their rows is
   * valid. A replica that waits for its first snapshot has no rows, and its earlier derived state
   * remains.
   */
  public boolean isInService(NodeId id) {
    return running(id).kv.failure() == null
        && status(id).stream()
            .allMatch(
                replica ->
                    replica.group() != null
                        && replica.failure() == null
                        && replica.appliedIndex() > 0);
  }

  /** Visits the store's rows on a live node. */
  public void scan(NodeId id, KvReader.Visitor visitor) {
    running(id)
        .kv
        .space(storeName())
        .latest()
        .scan(
            new byte[] {SimNode.DATA},
            new byte[] {SimNode.DATA + 1},
            (row, value) -> visitor.visit(Arrays.copyOfRange(row, 1, row.length), value));
  }

  private RunningNode running(NodeId id) {
    RunningNode running = node(id).running;
    if (running == null) {
      throw new IllegalStateException(id + " is down");
    }
    return running;
  }

  private Node node(NodeId id) {
    Node node = nodes.get(id);
    if (node == null) {
      throw new IllegalArgumentException("no node " + id);
    }
    return node;
  }

  /** Creates a client in its own process; its calls go over the simulated network. */
  public RoutedRangeClient client(SimProcess process, RangeClientSettings settings) {
    return client(process, settings, SimTransport::new);
  }

  /** Same, over the transport that the factory creates. */
  public RoutedRangeClient client(
      SimProcess process, RangeClientSettings settings, SimTransport.Factory transport) {
    return new RoutedRangeClient(
        storeName(),
        initial,
        transport.create(cluster, process.node()),
        SimTimers.of(process),
        settings,
        observer);
  }

  /** The timers of a simulated process. */
  public static Timers timers(SimProcess process) {
    return SimTimers.of(process);
  }
}
