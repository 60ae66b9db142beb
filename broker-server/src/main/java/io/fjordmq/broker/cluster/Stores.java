package io.fjordmq.broker.cluster;

import io.fjordmq.api.plugin.SplitStrategy;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.CpuLoad;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import io.fjordmq.range.RangeTransport;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.client.ClientStatus;
import io.fjordmq.range.client.RoutedRangeClient;
import io.fjordmq.range.kv.Kv;
import io.fjordmq.range.placement.PlacementAgent;
import io.fjordmq.range.placement.PlacementDriver;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.RangeDirectory;
import io.fjordmq.range.placement.RangeHealth;
import io.fjordmq.range.placement.RangeLoadReport;
import io.fjordmq.range.placement.SplitMonitor;
import io.fjordmq.range.placement.StorePlacement;
import io.fjordmq.range.placement.VoterCounts;
import io.fjordmq.range.remote.PeerRangeTransport;
import io.fjordmq.range.remote.RangeService;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeStore;
import io.fjordmq.range.store.ReplicaStatus;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The replicated stores on top of the range engine: this node's replicas, placement, and a client
 * for each store.
 */
public final class Stores implements AutoCloseable {
  private final ClusterNode node;
  private final RangeStore ranges;
  private final RangeDirectory directory = new RangeDirectory();
  private final PlacementDriver placement;
  private final List<StorePlacement> configuredPlacements;
  private final Supplier<List<StorePlacement>> placements;
  private final SplitMonitor rangeLoads;
  private final RangeOperations operations;
  private final HaltedRoutes halted;
  private final PeriodicTasks routeHealthTasks = new PeriodicTasks("route-replicas");

  /**
   * Runs the split strategy on its own thread, because a plugin's strategy could block other tasks
   * on a shared thread.
   */
  private final ExecutorService splitExecutor =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "split-strategy");
            thread.setDaemon(true);
            return thread;
          });

  private final Map<String, RoutedRangeClient> clients = new HashMap<>();

  /**
   * Opens this node's replicas, creates the first ones if the cluster is new, and waits until the
   * range descriptors are known. Blocks.
   *
   * @param contents what a new cluster begins with
   * @param strategy decides when to split ranges
   */
  public static Stores open(
      ClusterNode node,
      FirstContents contents,
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
            installDirectory,
            config.rangeConfig().replicas(),
            runtime,
            observer,
            range -> RangeDirectory.published(node.metadata().view(), range));
    Stores stores = new Stores(node, ranges, config, strategy, runtime, observer);
    try {
      node.metadata().watch(stores.directory);
      FirstRanges first = new FirstRanges(node, ranges, stores.directory, specs);
      first.createIfNew(config.storePlacements(), contents);
      first.await(config.storeConfig().leaderTimeout());
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
    this.rangeLoads =
        new SplitMonitor(
            ranges,
            strategy,
            config.storeConfig().splitByLoad(),
            config.splitConfig().rules(),
            new CpuLoad()::load,
            runtime.timers(),
            splitExecutor,
            observer);
    PlacementSettings settings = config.placementConfig();
    List<StorePlacement> stores = config.storePlacements();
    this.halted =
        new HaltedRoutes(node.membership(), node.suspensions(), ranges, onEveryNode(stores));
    this.configuredPlacements = stores;
    this.placements = () -> VoterCounts.withStoredCounts(node.metadata().view(), stores);
    this.placement =
        new PlacementDriver(
            node.membership(),
            node.peers(),
            PlacementAgent.serve(
                ranges,
                node.peers(),
                node.membership()::appliedVersion,
                rangeLoads::reports,
                halted),
            () -> node.metadata().leadership(),
            directory,
            runtime.timers(),
            placements,
            settings,
            observer);
    this.operations =
        RangeOperations.of(node, ranges, placement, rangeLoads, runtime.timers(), settings);
  }

  private static Set<String> onEveryNode(List<StorePlacement> stores) {
    return stores.stream()
        .filter(StorePlacement::onEveryNode)
        .map(StorePlacement::store)
        .collect(Collectors.toSet());
  }

  private void connect(
      List<StoreSpec> specs, BrokerConfig config, RangeRuntime runtime, RangeObserver observer) {
    RangeService.serve(node.self(), ranges.transportForOtherNodes(), node.peers());
    RangeTransport transport =
        ranges.transport(
            new PeerRangeTransport(node.peers(), config.rangeClientConfig().attemptTimeout()));
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
    operations.serve(node.peers());
    rangeLoads.start();
    RouteHealthMonitor routeHealth = new RouteHealthMonitor(halted);
    routeHealthTasks.every(
        HaltedRoutes.PERIOD, "routes", () -> routeHealth.check(System.nanoTime() / 1_000_000));
  }

  /** Whether a route replica is halted and other nodes are available to rebuild it from. */
  public boolean hasHaltedRoutes() {
    return halted.haltedReason() != null && halted.othersServe();
  }

  /**
   * Sets the check that suspends this node when other nodes have waited too long for its routes.
   *
   * @param check returns the reason, or null while no node waits too long
   */
  public void setOverdueRouteCheck(Supplier<@Nullable String> check) {
    halted.setOverdueCheck(check);
  }

  /** This node's replicas that are halted or have no leader, each with the reason. */
  public List<String> unavailableReplicas() {
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
   * Whether this node leads the first range of a store, and therefore runs the tasks that must run
   * on exactly one node.
   */
  public boolean leadsFirstRange(String store) {
    List<RangeDescriptor> all = directory.ranges(store);
    return !all.isEmpty() && leads(all.get(0).id());
  }

  /** The key intervals of the store's ranges that this node leads. */
  public List<KeyInterval> ledIntervals(String store) {
    return ranges.status().stream()
        .filter(replica -> replica.leading())
        .map(ReplicaStatus::descriptor)
        .filter(range -> range.id().store().equals(store))
        .map(RangeDescriptor::interval)
        .toList();
  }

  public boolean leads(RangeId range) {
    return ranges.leads(range);
  }

  /**
   * Completes once this node has applied everything that had been committed in all ranges of the
   * store at the time of the call. Fails if this node does not hold a replica of every range. The
   * set of ranges comes from the local replicas, because the metadata may not contain a recent
   * split yet.
   */
  public CompletableFuture<?> catchUp(String store) {
    return ranges.catchUp(store);
  }

  public RoutedRangeClient client(String store) {
    RoutedRangeClient client = clients.get(store);
    if (client == null) {
      throw new IllegalArgumentException("unknown store: " + store);
    }
    return client;
  }

  /** The status of the range clients, by store. */
  public Map<String, ClientStatus> clientStatus() {
    Map<String, ClientStatus> statuses = new HashMap<>();
    clients.forEach((store, client) -> statuses.put(store, client.status()));
    return statuses;
  }

  /** The ranges of all stores, as published in the metadata, in key order within each store. */
  public List<RangeDescriptor> publishedRanges() {
    List<RangeDescriptor> all = new ArrayList<>();
    names().forEach(store -> all.addAll(directory.ranges(store)));
    return all;
  }

  /** The health of the ranges of the whole cluster as far as this node knows, by store. */
  public Map<String, RangeHealth> health() {
    Map<RangeId, ReplicaStatus> own =
        ranges.status().stream()
            .collect(Collectors.toMap(replica -> replica.descriptor().id(), Function.identity()));
    Map<String, RangeHealth> health = new HashMap<>();
    for (StorePlacement store : knownPlacements()) {
      health.put(
          store.store(),
          RangeHealth.of(
              directory.ranges(store.store()), own, node.membership().members(), store.voters()));
    }
    return health;
  }

  /** The number of voters that the ranges of a store should have. */
  public int voters(String store) {
    return knownPlacements().stream()
        .filter(known -> known.store().equals(store))
        .mapToInt(StorePlacement::voters)
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("unknown store " + store));
  }

  /** The stores with their numbers of voters; the configured ones if the metadata is unreadable. */
  private List<StorePlacement> knownPlacements() {
    try {
      return placements.get();
    } catch (IllegalArgumentException newerFormat) { // the placement driver reports it
      return configuredPlacements;
    }
  }

  /** The names of the stores, sorted. */
  public List<String> names() {
    return clients.keySet().stream().sorted().toList();
  }

  public RangeStore ranges() {
    return ranges;
  }

  /** The load and split decisions of the ranges this node leads. */
  public Map<RangeId, RangeLoadReport> rangeLoads() {
    return rangeLoads.reports();
  }

  /** The operations on ranges that operators can request. */
  public RangeOperations operations() {
    return operations;
  }

  public RangeDirectory directory() {
    return directory;
  }

  @Override
  public void close() {
    routeHealthTasks.close();
    rangeLoads.close();
    splitExecutor.shutdownNow();
    placement.close();
    node.metadata().unwatch(directory);
    clients.values().forEach(RoutedRangeClient::close);
    ranges.close();
  }
}
