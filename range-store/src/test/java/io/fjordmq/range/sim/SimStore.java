package io.fjordmq.range.sim;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.GroupStatus;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.consensus.sim.SimCluster;
import io.fjordmq.cluster.consensus.sim.SimHost;
import io.fjordmq.cluster.consensus.sim.SimProcess;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.Timers;
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
import java.time.Duration;
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
 * One store on simulated nodes that crash and start again, for simulations of what stands above the
 * range engine. A crash loses some of what the state storage has not flushed.
 */
public final class SimStore {
  private final SimCluster cluster;
  private final Path installs;
  private final Function<NodeId, StoreSpec> specs;
  private final List<RangeDescriptor> initial;

  /** Of each range the newest shape that any node has had. */
  private final Map<RangeId, RangeDescriptor> shapes = new HashMap<>();

  private long lastNumber = 1_000;
  private final Map<NodeId, Node> nodes = new HashMap<>();
  private final StoreWatch watch = new StoreWatch();
  private final RangeObserver observer;

  private static final class Node {
    final SimKv.Disk disk = new SimKv.Disk();
    @Nullable Life life;
  }

  /** From a node's start to its crash. */
  private record Life(SimKv kv, RangeStore store, UnaryOperator<byte[]> cuts) {}

  /**
   * @param specs makes the store's code of a node's next life
   */
  public SimStore(
      SimCluster cluster, List<NodeId> nodes, Path installs, Function<NodeId, StoreSpec> specs) {
    this(cluster, nodes, installs, specs, RangeObserver.NONE);
  }

  /**
   * @param observer of all nodes and clients
   */
  public SimStore(
      SimCluster cluster,
      List<NodeId> nodes,
      Path installs,
      Function<NodeId, StoreSpec> specs,
      RangeObserver observer) {
    this.observer = observer;
    this.cluster = cluster;
    this.installs = installs;
    this.specs = specs;
    ReplicaSet members = ReplicaSet.ofVoters(nodes.toArray(NodeId[]::new));
    this.initial = RangeStore.initialRanges(specs.apply(nodes.get(0)), members);
    nodes.forEach(id -> this.nodes.put(id, new Node()));
  }

  /** Starts a node that is down. */
  public void start(NodeId id) throws IOException {
    Node node = node(id);
    SimHost host = cluster.start(id);
    SimProcess process = host.process();
    // Flushes are done when asked for: their delays are RangeSimulation's matter.
    SimKv kv = new SimKv(node.disk, Runnable::run);
    StoreSpec spec = watch.watched(id, specs.apply(id), range -> term(id, range));
    RangeRuntime runtime =
        new RangeRuntime(
            process.simulation().clock(),
            SimNode.timers(process),
            query -> process.schedule(process.simulation().between(0, 3), query),
            Runnable::run,
            Runnable::run);
    RangeStore store =
        RangeStore.open(id, host, kv, List.of(spec), settings(id), runtime, observer);
    store.createInitialRanges(initial);
    SimTransport.serve(cluster.network(), id, store);
    node.life = new Life(kv, store, spec.cuts());
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
    return node(id).life != null;
  }

  public void crash(NodeId id) {
    Node node = node(id);
    Life life = life(id);
    cluster.crash(id);
    watch.crashed(id);
    life.kv.kill();
    node.life = null;
    node.disk.failWith(null);
    node.disk.crash(unflushed -> (int) cluster.simulation().between(0, unflushed));
  }

  /** Writes to the node's state fail from now on (true), or work again (false). */
  public void failDisk(NodeId id, boolean fail) {
    node(id).disk.failWith(fail ? new KvException(KvException.Kind.DISK_FULL, "simulated") : null);
  }

  /** Nodes on which a replica was opened, changed or began to lead since the last call. */
  public Set<NodeId> takeChanged() {
    return watch.takeChanged();
  }

  /**
   * The node whose replica was the last to begin to lead a range; null if that has crashed since.
   * Until another one leads, it has applied whatever anybody was told is applied.
   */
  public @Nullable NodeId lastLeader(RangeId range) {
    return watch.lastLeader(range);
  }

  /** The ranges as they are now: of two that overlap the one that was split later. */
  public List<RangeDescriptor> ranges() {
    initial.forEach(range -> shapes.putIfAbsent(range.id(), range));
    for (Node node : nodes.values()) {
      if (node.life != null) {
        node.life
            .store
            .descriptors(storeName())
            .forEach(range -> shapes.merge(range.id(), range, SimStore::newer));
      }
    }
    List<RangeDescriptor> kept = new ArrayList<>();
    shapes.values().stream()
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

  /** Has the range split that holds the key, at or before it, if this node leads that. */
  public void split(NodeId id, byte[] key) {
    byte[] cut = life(id).cuts.apply(key);
    for (ReplicaStatus replica : status(id)) {
      RangeDescriptor range = replica.descriptor();
      if (replica.leading() && range.interval().contains(cut)) {
        life(id).store.split(range.id(), range.epoch().version(), cut, ++lastNumber);
        return;
      }
    }
  }

  /** The replicas of a node; null while it is down. */
  @Nullable RangeStore store(NodeId id) {
    Life life = node(id).life;
    return life == null ? null : life.store;
  }

  /** The replicas of a node that is up. */
  public List<ReplicaStatus> status(NodeId id) {
    return life(id).store.status();
  }

  /**
   * Whether all replicas of a node are in service, so that what they derive from rows is right. One
   * that waits for its first snapshot has no rows; what was derived from those before stays.
   */
  public boolean isInService(NodeId id) {
    return life(id).kv.failure() == null
        && status(id).stream()
            .allMatch(
                replica ->
                    replica.group() != null
                        && replica.failure() == null
                        && replica.appliedIndex() > 0);
  }

  /** The store's keys and values on a node that is up. */
  public void scan(NodeId id, KvReader.Visitor visitor) {
    life(id)
        .kv
        .space(storeName())
        .latest()
        .scan(
            new byte[] {SimNode.DATA},
            new byte[] {SimNode.DATA + 1},
            (row, value) -> visitor.visit(Arrays.copyOfRange(row, 1, row.length), value));
  }

  private Life life(NodeId id) {
    Life life = node(id).life;
    if (life == null) {
      throw new IllegalStateException(id + " is down");
    }
    return life;
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
    return client(process, settings, SimTransport::new);
  }

  /** The same, over a transport that a test may have broken. */
  public RoutedRangeClient client(
      SimProcess process, RangeClientSettings settings, SimTransport.Factory transport) {
    return new RoutedRangeClient(
        storeName(),
        initial,
        transport.create(cluster, process.node()),
        SimNode.timers(process),
        settings,
        observer);
  }

  /** Time of a simulated process. */
  public static Timers timers(SimProcess process) {
    return SimNode.timers(process);
  }
}
