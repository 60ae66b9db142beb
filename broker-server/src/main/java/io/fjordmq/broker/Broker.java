package io.fjordmq.broker;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.ReceivedItems;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.limits.OverloadWatch;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.Transport;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.broker.security.Plugins;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.broker.sys.ClientTopics;
import io.fjordmq.broker.sys.SysRetained;
import io.fjordmq.broker.sys.SysTopics;
import io.fjordmq.broker.sys.SysTopicsSettings;
import io.fjordmq.broker.sys.SysValues;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxSweeper;
import io.fjordmq.inbox.ReplicatedInboxStore;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksLibrary;
import io.fjordmq.range.load.LoadSplitStrategy;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.RouteBarrier;
import io.fjordmq.router.RouterSettings;
import io.fjordmq.router.StaleRoutes;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root: one node, built from the disk up to the listeners and closed in reverse.
 * Every component gets its dependencies through its constructor.
 */
public final class Broker implements ShutdownSequence.Composite {
  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);
  private static final String ROUTES = "dist";
  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final ClusterNode node;
  private final Stores stores;
  private final MqttServer server;
  private final NodeStreams streams = new NodeStreams();
  private final SessionRegistry registry = new SessionRegistry(streams);
  private final RocksKv kv;
  private final OverloadGuard overload;
  private final NodeDisk disk;
  private final Drain drain;
  private final ClusterView view;
  private final ClusterCommands commands;
  private final Supplier<NodeStatus> status;
  private volatile boolean stopping;

  /**
   * Starts a node and returns when clients can connect. Blocks.
   *
   * @throws StartException if it cannot start; whatever was started is closed again
   */
  public static Broker start(BrokerConfig config, Observers observers) throws StartException {
    return new Broker(config, observers);
  }

  private Broker(BrokerConfig config, Observers observers) throws StartException {
    try {
      Plugins plugins =
          shutdownSequence.add(
              "plugins",
              Plugins.open(config.securityConfig(), config.plugins(), observers.security()));
      Security security =
          shutdownSequence.add(
              "security",
              Security.open(config.securityConfig(), plugins.all(), observers.security()));

      // Disk, the other nodes, consensus.
      DataDirectory directory =
          shutdownSequence.add("data directory", DataDirectory.open(Path.of(config.dataDir())));
      NodeIdentity identity = ClusterNode.identify(config, directory);
      RocksLibrary.load(directory.resolve("native"));
      this.kv =
          shutdownSequence.add(
              "state storage", RocksKv.open(directory.resolve("state"), config.storageConfig()));
      this.node =
          shutdownSequence.add(
              "cluster", ClusterNode.open(config, identity, directory, observers.consensus()));
      ClusterMembership membership = node.membership();
      ClusterClock clock = membership.clock();
      LocalNode self = new LocalNode(node.self().value(), membership::incarnation);

      // Limits of clients and tenants.
      this.overload = OverloadGuard.ofProcess(config.overloadConfig(), config.maxFileDescriptors());
      Tenants tenants = new Tenants(config.sharedLimits(), config.tenants(), observers.sessions());

      // The three stores on one range engine.
      RouterSettings routerSettings = config.routerConfig();
      InboxSettings inboxSettings = config.inboxConfig();
      DeliverySettings deliverySettings = config.deliveryConfig();
      LiveDispatch dispatch = new LiveDispatch(deliverySettings, observers.delivery());
      InboxEvents events =
          new InboxEvents(
              self, registry, dispatch, deliverySettings, streams, observers.delivery());
      RangedRouter.Replicas routes = new RangedRouter.Replicas(routerSettings);
      RangedRetainStore.Replicas retainedReplicas = new RangedRetainStore.Replicas();
      InboxReplicas inboxReplicas = new InboxReplicas(inboxSettings, events, observers.inboxes());
      RangeRuntime runtime =
          shutdownSequence
              .add(
                  "range threads",
                  new RangeThreads(
                      config.rangeConfig().queryThreads(),
                      config.rangeConfig().maxWaitingQueries()))
              .runtime(clock::stampMillis);
      this.stores =
          shutdownSequence.add(
              "stores",
              Stores.open(
                  node,
                  kv,
                  List.of(
                      RangedRouter.spec(routerSettings, routes),
                      inboxReplicas.spec(),
                      RangedRetainStore.spec(config.retainConfig(), retainedReplicas)),
                  config,
                  plugins.splitStrategy(
                      config.splitConfig().strategy(),
                      new LoadSplitStrategy(
                          config.splitConfig().limits(config.storeConfig().byStore()))),
                  directory.resolve("install"),
                  runtime,
                  observers.ranges()));
      RouteBarrier barrier =
          new RouteBarrier(
              membership, node.peers(), runtime.timers(), routerSettings.barrier(), routes);
      barrier.start(node.peers());
      stores.followOverdueRoutes(barrier::overdueReason);
      RangedRouter router = new RangedRouter(stores.client(ROUTES), routes, barrier);
      RangedRetainStore retained =
          new RangedRetainStore(
              config.retainConfig(),
              tenants.retained(),
              stores.client("retain"),
              retainedReplicas,
              clock);
      ReplicatedInboxStore inboxes =
          shutdownSequence.add(
              "inbox store",
              new ReplicatedInboxStore(
                  stores.client(InboxReplicas.STORE),
                  inboxReplicas,
                  stores::leads,
                  inboxSettings,
                  runtime.timers(),
                  clock,
                  observers.inboxes()));
      this.view = new ClusterView(node, stores);
      view.start(node.peers());
      this.commands = new ClusterCommands(node, stores, config.placement().stores());

      // The disk, and how the node reacts to disk trouble.
      this.disk =
          shutdownSequence.add(
              "disk", NodeDisk.watch(directory.path(), kv, node, stores, config.diskConfig()));
      view.remarkOn(disk::remarks);

      // The distribution of published messages.
      LocalSubscriptions live =
          new LocalSubscriptions(self, router, dispatch, deliverySettings, observers.delivery());
      Distribution publisher =
          new Distribution(
              self,
              router,
              inboxes,
              retained,
              live,
              registry,
              dispatch,
              deliverySettings,
              streams,
              disk::hasRoom,
              membership::isServing,
              observers.delivery());
      WillService wills = new WillService(publisher, clock);
      InboxRoutes inboxRoutes = new InboxRoutes(router, deliverySettings);
      events.connect(inboxes, wills, inboxRoutes, publisher);

      // The streams from and to other nodes.
      new NodeReceiver(
              membership,
              new ReceivedItems(live, dispatch, registry, events, membership::isServing),
              observers.nodes())
          .start(node.peers());
      membership.watch(
          shutdownSequence.add(
              "streams to other nodes",
              new StreamLifecycle(
                  node.self(),
                  streams,
                  node.peers(),
                  runtime.timers(),
                  config.nodesConfig(),
                  observers.nodes())));

      // Sweeps: sessions end, wills become due, retained messages expire.
      InboxSweeper sweeper =
          new InboxSweeper(
              stores.client(InboxReplicas.STORE),
              () -> stores.ledIntervals(InboxReplicas.STORE),
              (owner, incarnation) ->
                  !membership.members().hasEnded(new NodeId(owner), incarnation),
              clock,
              inboxSettings,
              observers.inboxes());
      PeriodicTasks periodicTasks = shutdownSequence.add("sweeps", new PeriodicTasks("sweeps"));
      periodicTasks.every(
          config.storeConfig().sweepInterval(), "persistent sessions", sweeper::sweep);
      periodicTasks.every(
          config.storeConfig().sweepInterval(), "retained messages", retained::sweep);
      StaleRoutes stale =
          new StaleRoutes(router, membership::members, () -> stores.leadsFirst(ROUTES));
      periodicTasks.every(config.storeConfig().sweepInterval(), "routes", stale::sweep);

      this.status =
          () ->
              new NodeStatus(
                  publisher.status(),
                  router.status(),
                  inboxes.status(),
                  retained.count(),
                  stores.ranges().status(),
                  stores.shapes(),
                  node.metadata().status(),
                  stores.clientStatus(),
                  kv.metrics(),
                  new NodeStatus.OverloadStatus(overload.isOverloaded(), overload.reading()),
                  new NodeStatus.Disk(
                      kv.failure() != null,
                      node.host().failure() != null,
                      disk.freeBytes(),
                      disk.isLow()),
                  clock.wallAheadMillis());

      // Status: metrics and $SYS topics.
      SysTopicsSettings sysSettings = config.sysTopicsConfig();
      SysTopics sys =
          new SysTopics(
              sysSettings,
              self.id(),
              Version.text(),
              () -> SysValues.of(clock.instant(), observers.traffic().get(), status.get()),
              message -> publisher.publishHere(sysSettings.tenant(), message));
      sys.run();
      periodicTasks.every(sysSettings.interval(), "$SYS topics", sys);
      ClientEvents clientEvents =
          sysSettings.clientEvents()
              ? new ClientTopics(sysSettings, self.id(), publisher)
              : ClientEvents.NONE;

      // Clients.
      Sessions sessions =
          new Sessions(
              new SessionServices(
                  tenants,
                  overload,
                  clientEvents,
                  observers.sessions(),
                  security,
                  registry,
                  publisher,
                  live,
                  inboxes,
                  inboxRoutes,
                  new SysRetained(retained, sys),
                  disk::hasRoom,
                  clock,
                  self,
                  membership::notServingBecause));
      // From here on the cluster may count this node, and then clients may connect.
      ServerReferences references = new ServerReferences(membership, node.metadata());
      this.drain = new Drain(membership, stores, sessions, references, config.drainConfig());
      int pace = config.drainConfig().clientsPerSecond();
      membership.watch(
          new NodeLifecycle(sessions, live, () -> stores.catchUp(ROUTES), pace, runtime.timers()));
      shutdownSequence.add("service", node.offerService());
      node.awaitServing(config.storeConfig().leaderTimeout(), stores::hasHaltedRoutes);
      references.publish(config.clusterConfig().serverReference());
      view.logRemarks();
      this.server =
          MqttServer.start(
              config.mqttServerConfig().listeners(),
              Transport.named(config.mqttServerConfig().transport()),
              config.mqttServerConfig().workerThreads(),
              sessions,
              observers.listeners());
      var timeout = config.mqttServerConfig().shutdownTimeout();
      shutdownSequence.addSlow("listeners", timeout, () -> server.shutdown(timeout));
      shutdownSequence.add(
          "overload guard",
          OverloadWatch.start(
              overload, config.overloadConfig(), server.loops(), sessions::endStuck));
    } catch (StartException e) {
      shutdownSequence.close();
      throw e;
    } catch (SecurityStartException
        | IOException
        | ConsensusException
        | KvException
        | IllegalStateException e) {
      shutdownSequence.close();
      throw new StartException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  /** The open listeners, with their actual ports. */
  public List<Listener> listeners() {
    return server.listeners();
  }

  /** The server of the clients, for programs that embed the broker. */
  public MqttServer server() {
    return server;
  }

  /** Why this node is not ready for clients; empty if it is. Thread-safe. */
  public List<String> notReadyBecause() {
    if (stopping) {
      return List.of("the node is stopping");
    }
    List<String> reasons = new ArrayList<>(disk.obstacles().toList());
    reasons.addAll(node.faults());
    reasons.addAll(stores.unavailableReplicas());
    reasons.addAll(overload.reasons());
    return reasons;
  }

  /** The state of all components, for metrics. Thread-safe until {@link #close}; does not block. */
  NodeStatus status() {
    return status.get();
  }

  /** The nodes and ranges of the cluster, for {@code /status}. Thread-safe until {@link #close}. */
  CompletableFuture<ClusterStatus> clusterStatus() {
    return view.collect();
  }

  /** The commands of operators. */
  ClusterCommands commands() {
    return commands;
  }

  /** Hands over leadership and clients to other nodes. Blocks; call {@link #close} afterwards. */
  void drain() {
    drain.run();
  }

  @Override
  public List<String> hung() {
    return shutdownSequence.hung();
  }

  /** Disconnects clients, hands over their sessions, flushes and closes everything. Blocks. */
  @Override
  public void close() {
    stopping = true;
    shutdownSequence.close();
    LOG.info("FjordMQ stopped node={}", node.self());
  }
}
