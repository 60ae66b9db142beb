package io.fjordmq.broker;

import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.limits.Processors;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.cluster.metadata.Change;
import io.fjordmq.cluster.metadata.WriteResult;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.placement.ClockRepairs;
import io.fjordmq.range.placement.MergeRequests;
import io.fjordmq.range.placement.PendingRequests;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.placement.PlacementDriver;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.ShapeReport;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.SplitRequests;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.remote.RangeService;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The replicated stores on the range engine: this node's replicas, placement, and a client for each
 * store.
 */
final class Stores implements AutoCloseable {
  private static final Duration WRITE_PATIENCE = Duration.ofSeconds(30);

  private final ClusterNode node;
  private final RangeStore ranges;
  private final RangeDirectory directory = new RangeDirectory();
  private final PlacementDriver placement;
  private final SplitMonitor shapes;
  private final SplitRequests splits;
  private final MergeRequests merges;
  private final PendingRequests pending;
  private final HaltedRoutes halted;
  private final PeriodicTasks watching = new PeriodicTasks("route-replicas");
  private final ClockRepairs clocks;

  /** Runs the split strategy, which may be a plugin's, so nothing else may wait for it. */
  private final ExecutorService judge =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "range-shapes");
            thread.setDaemon(true);
            return thread;
          });

  private final Map<String, RoutedRangeClient> clients = new HashMap<>();

  /**
   * Opens this node's replicas, creates the first ones if the cluster is new, and waits until the
   * range descriptors are known. Blocks.
   *
   * @param strategy decides when ranges are split
   */
  static Stores open(
      ClusterNode node,
      Kv kv,
      List<StoreSpec> specs,
      BrokerConfig config,
      SplitStrategy strategy,
      Path installDirectory,
      RangeRuntime runtime,
      RangeObserver observer)
      throws IOException, StartException {
    RangeStore ranges =
        RangeStore.open(
            node.self(),
            node.host(),
            kv,
            specs,
            config.rangeConfig().replicas(installDirectory),
            runtime,
            observer);
    Stores stores = new Stores(node, ranges, config, strategy, runtime, observer);
    try {
      stores.createIfNew(specs, config.placement().stores());
      stores.connect(specs, config, runtime, observer);
      return stores;
    } catch (IOException | StartException | RuntimeException e) {
      stores.close();
      throw e;
    }
  }

  private Stores(
      ClusterNode node,
      RangeStore ranges,
      BrokerConfig config,
      SplitStrategy strategy,
      RangeRuntime runtime,
      RangeObserver observer) {
    this.node = node;
    this.ranges = ranges;
    this.shapes =
        new SplitMonitor(
            ranges,
            strategy,
            config.splitConfig().shapes(config.storeConfig().byStore()),
            new Processors()::load,
            runtime.timers(),
            judge,
            observer);
    PlacementSettings settings = config.placement();
    this.halted =
        new HaltedRoutes(
            node.membership(), node.suspensions(), ranges, onEveryNode(settings.stores()));
    this.placement =
        new PlacementDriver(
            node.membership(),
            node.peers(),
            PlacementAgent.serve(
                ranges, node.peers(), node.membership()::applied, shapes::reports, halted),
            () -> node.metadata().leadership(),
            directory,
            runtime.timers(),
            () -> settings.with(VoterCounts.in(node.metadata().view(), settings.stores())));
    this.splits =
        new SplitRequests(
            node.membership(),
            node.peers(),
            shapes,
            placement,
            () -> node.metadata().leadership().leader(),
            runtime.timers(),
            settings);
    this.merges =
        new MergeRequests(
            node.membership(),
            node.peers(),
            placement::merge,
            () -> node.metadata().leadership().leader(),
            settings);
    this.pending =
        new PendingRequests(
            node.membership(),
            node.peers(),
            placement::pending,
            placement::cancel,
            () -> node.metadata().leadership().leader(),
            settings);
    this.clocks =
        new ClockRepairs(
            node.membership(), node.peers(), ranges, node.membership().clock(), settings);
  }

  private static Set<String> onEveryNode(List<StorePlacement> stores) {
    return stores.stream()
        .filter(StorePlacement::onEveryNode)
        .map(StorePlacement::store)
        .collect(Collectors.toSet());
  }

  /** Creates the first ranges. A cluster without ranges consists of the node that creates it. */
  private void createIfNew(List<StoreSpec> specs, List<StorePlacement> voters)
      throws IOException, StartException {
    node.metadata().watch(directory);
    ReplicaSet alone = ReplicaSet.ofVoters(node.self());
    if (!directory.ranges().isEmpty() || !node.metadata().status().replicas().equals(alone)) {
      return;
    }
    List<RangeDescriptor> initial = new ArrayList<>();
    for (StoreSpec spec : specs) {
      initial.addAll(RangeStore.initialRanges(spec, alone));
    }
    ranges.createInitialRanges(initial);
    List<Change> first = new ArrayList<>(RangeDirectory.first(initial));
    first.addAll(VoterCounts.first(voters));
    try {
      WriteResult result =
          node.membership().write(first).get(WRITE_PATIENCE.toSeconds(), TimeUnit.SECONDS);
      if (result instanceof WriteResult.Conflict conflict) {
        throw new StartException(
            "cannot create the first ranges: the cluster already has some: " + conflict.key());
      }
    } catch (ExecutionException | TimeoutException e) {
      throw new StartException("cannot register the first ranges: " + e, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartException("interrupted while registering the first ranges", e);
    }
  }

  private void connect(
      List<StoreSpec> specs, BrokerConfig config, RangeRuntime runtime, RangeObserver observer)
      throws StartException {
    NodeId self = node.self();
    awaitRanges(specs, config.storeConfig().leaderTimeout());
    RangeService.serve(self, ranges, node.peers());
    PeerRangeTransport transport =
        new PeerRangeTransport(
            self, ranges, node.peers(), config.rangeClientConfig().attemptTimeout());
    for (StoreSpec spec : specs) {
      RoutedRangeClient client =
          new RoutedRangeClient(
              spec.name(),
              directory.ranges(spec.name()),
              transport,
              runtime.timers(),
              config.rangeClientConfig(),
              observer);
      clients.put(spec.name(), client);
      directory.follow(spec.name(), client::update);
    }
    placement.start();
    splits.serve(node.peers());
    merges.serve(node.peers());
    pending.serve(node.peers());
    clocks.serve(node.peers());
    shapes.start();
    RouteTrouble trouble = new RouteTrouble(halted);
    watching.every(
        HaltedRoutes.PERIOD, "routes", () -> trouble.check(System.nanoTime() / 1_000_000));
  }

  /** Whether a route replica is halted and other nodes can help to rebuild it. */
  boolean hasHaltedRoutes() {
    return halted.halted() != null && halted.othersServe();
  }

  /**
   * Suspends this node when other nodes wait too long for its routes.
   *
   * @param check returns the reason, or null while no node does
   */
  void followOverdueRoutes(Supplier<@Nullable String> check) {
    halted.follow(check);
  }

  /** Waits for the range descriptors, which a joining node receives with the metadata. */
  private void awaitRanges(List<StoreSpec> specs, Duration patience) throws StartException {
    long deadline = System.nanoTime() + patience.toNanos();
    while (specs.stream().anyMatch(spec -> directory.ranges(spec.name()).isEmpty())) {
      if (System.nanoTime() > deadline) {
        throw new StartException(
            "received no range descriptors from the cluster within "
                + patience.toSeconds()
                + " s (storeConfig.leaderTimeout); see the logs of its other nodes");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** The replicas of this node that are halted or have no leader, each with the reason. */
  List<String> unavailableReplicas() {
    List<String> problems = new ArrayList<>();
    for (ReplicaStatus replica : ranges.status()) {
      String failure = replica.failure();
      boolean leaderless = replica.group() == null || replica.group().leadership().leader() == null;
      if (failure != null || leaderless) {
        problems.add(
            "range "
                + replica.descriptor().id()
                + (failure == null ? " has no leader" : " is halted: " + failure));
      }
    }
    return problems;
  }

  /**
   * Whether this node leads the first range of a store, which selects the node for single tasks.
   */
  boolean leadsFirst(String store) {
    List<RangeDescriptor> all = directory.ranges(store);
    return !all.isEmpty() && leads(all.get(0).id());
  }

  /** The key intervals of a store's ranges that this node leads. */
  List<KeyInterval> ledIntervals(String store) {
    return ranges.status().stream()
        .filter(replica -> replica.leading())
        .map(ReplicaStatus::descriptor)
        .filter(range -> range.id().store().equals(store))
        .map(RangeDescriptor::interval)
        .toList();
  }

  boolean leads(RangeId range) {
    return ranges.status().stream()
        .anyMatch(replica -> replica.leading() && replica.descriptor().id().equals(range));
  }

  /**
   * Completes once this node has applied everything that was committed in any range of the store
   * when the call was made; fails while this node does not hold all of them. The local replicas
   * determine the ranges, since the metadata may not contain a recent split yet.
   */
  CompletableFuture<?> catchUp(String store) {
    return ranges.catchUp(store);
  }

  RoutedRangeClient client(String store) {
    RoutedRangeClient client = clients.get(store);
    if (client == null) {
      throw new IllegalArgumentException("unknown store: " + store);
    }
    return client;
  }

  /** The state of the range clients, by store. */
  Map<String, ClientStatus> clientStatus() {
    Map<String, ClientStatus> figures = new HashMap<>();
    clients.forEach((store, client) -> figures.put(store, client.status()));
    return figures;
  }

  /** The names of the stores, sorted. */
  List<String> names() {
    return clients.keySet().stream().sorted().toList();
  }

  RangeStore ranges() {
    return ranges;
  }

  /** The load and split decisions of the ranges this node leads. */
  Map<RangeId, ShapeReport> shapes() {
    return shapes.reports();
  }

  /** Splits requested by operators. */
  SplitRequests splits() {
    return splits;
  }

  /** Merges requested by operators. */
  MergeRequests merges() {
    return merges;
  }

  /** Pending placement steps, which operators can cancel. */
  PendingRequests pending() {
    return pending;
  }

  /** Finds range clocks that are ahead of cluster time, and sets them back. */
  ClockRepairs clocks() {
    return clocks;
  }

  RangeDirectory directory() {
    return directory;
  }

  @Override
  public void close() {
    watching.close();
    shapes.close();
    judge.shutdownNow();
    placement.close();
    node.metadata().unwatch(directory);
    clients.values().forEach(RoutedRangeClient::close);
    ranges.close();
  }
}
