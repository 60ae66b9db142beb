package io.fjordmq.broker;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.delivery.InboxEventRelay;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.broker.disk.NodeDisk;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.security.Plugins;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.common.Timers;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.ReplicatedInboxStore;
import io.fjordmq.range.StoreSpec;
import io.fjordmq.range.load.LoadSplitStrategy;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.client.ReplicatedRetainStore;
import io.fjordmq.retain.client.RetainSweeper;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteTable;
import io.fjordmq.router.client.ReplicatedRouteStore;
import io.fjordmq.router.client.RouteBarrier;
import java.io.IOException;
import java.util.List;

/**
 * The third stage of a node: the replicated stores for routes, persistent sessions and retained
 * messages, which share one range engine and one disk.
 */
final class ReplicatedStores implements ShutdownSequence.Composite {
  /**
   * @param plugins may provide the split strategy
   * @param tenants the tenants, each with a quota of retained messages
   */
  record Dependencies(
      BrokerConfig config,
      Storage storage,
      ClusterNode node,
      Plugins plugins,
      Tenants tenants,
      Observers observers) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final Timers timers;
  private final Stores ranges;
  private final ReplicatedRouteStore router;
  private final RouteTable routeTable;
  private final ReplicatedRetainStore retained;
  private final RetainReplicas retainReplicas;
  private final RetainSweeper retainSweeper;
  private final RetainedBarrier retainedBarrier;
  private final ReplicatedInboxStore inboxes;
  private final InboxEventRelay inboxEvents;
  private final NodeDisk disk;

  /** Opens the stores and waits until their ranges are known. Blocks. */
  static ReplicatedStores open(Dependencies dependencies)
      throws StartException, SecurityStartException, IOException {
    return new ReplicatedStores(dependencies);
  }

  private ReplicatedStores(Dependencies dependencies)
      throws StartException, SecurityStartException, IOException {
    BrokerConfig config = dependencies.config;
    ClusterNode node = dependencies.node;
    ClusterClock clock = node.membership().clock();
    RouteReplicas routes = new RouteReplicas(config.routerConfig());
    routeTable = routes.table();
    retainReplicas = new RetainReplicas(config.retainConfig());
    inboxEvents = new InboxEventRelay(dependencies.observers.delivery());
    InboxReplicas inboxReplicas =
        new InboxReplicas(config.inboxConfig(), inboxEvents, dependencies.observers.inboxes());
    try {
      RangeRuntime runtime = createRuntime(config, node.membership());
      timers = runtime.timers();
      ranges =
          shutdownSequence.add(
              "ranges",
              openRanges(
                  dependencies,
                  List.of(routes.spec(), inboxReplicas.spec(), retainReplicas.spec()),
                  runtime));
      retainedBarrier = openRetainedBarrier(dependencies, timers);
      RouteBarrier barrier = openBarrier(dependencies, routes, retainedBarrier);
      ranges.setOverdueRouteCheck(barrier::overdueReason);
      router = new ReplicatedRouteStore(ranges.client(RouteReplicas.STORE), routes, barrier);
      retained =
          new ReplicatedRetainStore(
              config.retainConfig(),
              dependencies.tenants.retainQuota(),
              ranges.client(RetainReplicas.STORE),
              retainReplicas,
              clock);
      retainSweeper = new RetainSweeper(ranges.client(RetainReplicas.STORE), retainReplicas, clock);
      inboxes =
          shutdownSequence.add(
              "inbox store",
              new ReplicatedInboxStore(
                  ranges.client(InboxReplicas.STORE),
                  inboxReplicas,
                  ranges::leads,
                  config.inboxConfig(),
                  timers,
                  clock,
                  dependencies.observers.inboxes()));
      disk =
          shutdownSequence.add(
              "disk",
              NodeDisk.watch(
                  dependencies.storage.directory().path(),
                  dependencies.storage.kv(),
                  node,
                  ranges,
                  config.diskConfig()));
    } catch (StartException | SecurityStartException | IOException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  private static RetainedBarrier openRetainedBarrier(Dependencies dependencies, Timers timers) {
    ClusterNode node = dependencies.node;
    RetainedBarrier barrier =
        new RetainedBarrier(
            node.membership(),
            node.peers(),
            timers,
            dependencies.config.deliveryConfig().maxRetainedWait(),
            dependencies.observers.delivery());
    barrier.start(node.peers());
    return barrier;
  }

  private RouteBarrier openBarrier(
      Dependencies dependencies, RouteReplicas routes, RetainedBarrier retainedBarrier) {
    ClusterNode node = dependencies.node;
    RouteBarrier barrier =
        new RouteBarrier(
            node.membership(),
            node.peers(),
            timers,
            dependencies.config.routerConfig().barrier(),
            routes,
            dependencies.observers.routes(),
            retainedBarrier);
    barrier.start(node.peers());
    return barrier;
  }

  private static Stores openRanges(
      Dependencies dependencies, List<StoreSpec> specs, RangeRuntime runtime)
      throws StartException, SecurityStartException, IOException {
    BrokerConfig config = dependencies.config;
    LoadSplitStrategy byLoad =
        new LoadSplitStrategy(config.splitConfig().rules(), config.storeConfig().splitLimits());
    return Stores.open(
        dependencies.node,
        dependencies.storage.firstContents(),
        dependencies.storage.kv(),
        specs,
        config,
        dependencies.plugins.splitStrategy(config.splitConfig().strategy(), byLoad),
        dependencies.storage.directory().resolve("install"),
        runtime,
        dependencies.observers.ranges());
  }

  private RangeRuntime createRuntime(BrokerConfig config, ClusterMembership membership) {
    return shutdownSequence
        .add(
            "range threads",
            new RangeThreads(
                config.rangeConfig().queryThreads(),
                config.rangeConfig().maxWaitingQueries(),
                config.rangeClientConfig().attemptTimeout()))
        .runtime(membership.clock()::stampMillis, membership.level());
  }

  /** The timers of the range engine. */
  Timers timers() {
    return timers;
  }

  /** The routes that this node knows. */
  RouteTable routeTable() {
    return routeTable;
  }

  /** The ranges of all stores. */
  Stores ranges() {
    return ranges;
  }

  ReplicatedRouteStore router() {
    return router;
  }

  ReplicatedRetainStore retained() {
    return retained;
  }

  /** Waits for retained messages that are being stored. */
  RetainedBarrier retainedBarrier() {
    return retainedBarrier;
  }

  /** The number of retained messages in ranges that this node leads. */
  long ledRetainedMessages() {
    return retainReplicas.count(ranges::leads);
  }

  RetainSweeper retainSweeper() {
    return retainSweeper;
  }

  ReplicatedInboxStore inboxes() {
    return inboxes;
  }

  /** Forwards the events of inboxes whose ranges this node leads. */
  InboxEventRelay inboxEvents() {
    return inboxEvents;
  }

  NodeDisk disk() {
    return disk;
  }

  @Override
  public List<String> unclosedComponents() {
    return shutdownSequence.unclosedComponents();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }
}
