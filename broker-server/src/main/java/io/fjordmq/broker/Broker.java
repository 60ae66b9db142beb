package io.fjordmq.broker;

import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.MqttServerConfig;
import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.limits.OverloadWatch;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.net.ListenerSettings;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.Transport;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.ops.ClusterStatus;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.broker.security.Plugins;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.security.SecurityStartException;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.Serving;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.broker.sys.ClientTopics;
import io.fjordmq.broker.sys.SysFigures;
import io.fjordmq.broker.sys.SysRetained;
import io.fjordmq.broker.sys.SysTopics;
import io.fjordmq.broker.sys.SysTopicsSettings;
import io.fjordmq.cluster.DataDirectory;
import io.fjordmq.cluster.NodeIdentity;
import io.fjordmq.cluster.consensus.ConsensusException;
import io.fjordmq.cluster.consensus.JRaftHost;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxSweeper;
import io.fjordmq.inbox.ReplicatedInboxStore;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.range.kv.RocksLibrary;
import io.fjordmq.range.store.RangeRuntime;
import io.fjordmq.range.store.RangeThreads;
import io.fjordmq.range.store.ReplicaStatus;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.RouterSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The composition root: one node, built from the disk up to the listeners and closed in reverse.
 * Reads from top to bottom; every part gets what it needs from its constructor.
 */
public final class Broker implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Broker.class);

  private final InstantSource clock = InstantSource.system();
  private final Parts parts = new Parts();

  private final ClusterNode node;
  private final Stores stores;
  private final MqttServer server;
  private final SessionRegistry registry = new SessionRegistry();
  private final RocksKv kv;
  private final OverloadGuard overload;
  private final JRaftHost host;
  private final DiskWatch disk;
  private final Supplier<NodeStatus> status;
  private final Duration shutdownTimeout;
  private volatile boolean stopping;

  /**
   * Starts a node and returns when clients can connect. Blocks.
   *
   * @throws StartException if it cannot; what was started is closed again
   */
  public static Broker start(BrokerConfig config, Observers observers) throws StartException {
    return new Broker(config, observers);
  }

  private Broker(BrokerConfig config, Observers observers) throws StartException {
    this.shutdownTimeout = config.mqttServerConfig().shutdownTimeout();
    try {
      List<ListenerSettings> listeners = listeners(config);
      Plugins plugins =
          parts.add(
              "plugins",
              Plugins.open(config.securityConfig(), config.plugins(), observers.security()));
      Security security =
          parts.add(
              "security",
              Security.open(config.securityConfig(), plugins.all(), clock, observers.security()));

      // Disk and consensus.
      DataDirectory directory =
          parts.add("data directory", DataDirectory.open(Path.of(config.dataDir())));
      NodeIdentity identity = ClusterNode.identity(config, directory);
      RocksLibrary.load(directory.resolve("native"));
      this.kv =
          parts.add(
              "state storage", RocksKv.open(directory.resolve("state"), config.storageConfig()));
      this.host =
          parts.add(
              "consensus",
              JRaftHost.open(
                  identity.node(),
                  directory.resolve("log"),
                  config.consensusConfig(),
                  observers.consensus()));
      ExecutorService checkpoints =
          Executors.newSingleThreadExecutor(task -> new Thread(task, "metadata-checkpoint"));
      parts.add("metadata checkpoints", checkpoints::shutdown);
      this.node =
          parts.add("metadata", ClusterNode.open(config, identity, host, directory, checkpoints));
      LocalNode self = new LocalNode(identity.node().value(), node.incarnation());

      // What clients may use up.
      this.overload =
          new OverloadGuard(config.overloadConfig(), () -> System.nanoTime() / 1_000_000);
      Tenants tenants = new Tenants(config.sharedLimits(), config.tenants(), observers.sessions());

      // The three stores on one range engine.
      RouterSettings routerSettings = config.routerConfig();
      RetainSettings retainSettings = config.retainConfig();
      InboxSettings inboxSettings = config.inboxConfig();
      DeliverySettings deliverySettings = config.deliveryConfig();
      LiveDispatch dispatch = new LiveDispatch(deliverySettings, observers.delivery());
      NodeStreams nodes = new NodeStreams();
      InboxEvents events =
          new InboxEvents(self, registry, dispatch, deliverySettings, nodes, observers.delivery());
      RangedRouter.Replicas routes = new RangedRouter.Replicas(routerSettings);
      RangedRetainStore.Replicas retainedReplicas = new RangedRetainStore.Replicas();
      InboxReplicas inboxReplicas = new InboxReplicas(inboxSettings, events, observers.inboxes());
      RangeThreads threads =
          parts.add(
              "range threads",
              new RangeThreads(
                  config.rangeConfig().queryThreads(), config.rangeConfig().maxWaitingQueries()));
      RangeRuntime runtime = threads.runtime(clock);
      this.stores =
          parts.add(
              "stores",
              Stores.open(
                  node,
                  host,
                  kv,
                  List.of(
                      RangedRouter.spec(routerSettings, routes),
                      inboxReplicas.spec(),
                      RangedRetainStore.spec(retainSettings, retainedReplicas)),
                  config,
                  directory.resolve("install"),
                  runtime,
                  observers.ranges()));
      RangedRouter router = new RangedRouter(stores.client("dist"), routes);
      RangedRetainStore retained =
          new RangedRetainStore(
              retainSettings, tenants.retained(), stores.client("retain"), retainedReplicas, clock);
      ReplicatedInboxStore inboxes =
          parts.add(
              "inbox store",
              new ReplicatedInboxStore(
                  stores.client(InboxReplicas.STORE),
                  inboxReplicas,
                  this::leads,
                  inboxSettings,
                  runtime.timers(),
                  clock,
                  observers.inboxes()));
      removeStaleRoutes(router, self);

      // Whether the disk has room for more.
      this.disk =
          new DiskWatch(
              directory.path(),
              Files.getFileStore(directory.path())::getUsableSpace,
              config.diskConfig().minFreeBytes(),
              List.of(kv::retryWrites, host::retryWrites));
      disk.look();
      Sweeps watch = parts.add("disk watch", new Sweeps("disk-watch"));
      watch.every(config.diskConfig().checkInterval(), "the disk", disk::look);

      // What a PUBLISH means.
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
              nodes,
              disk::hasRoom,
              () -> true,
              observers.delivery());
      WillService wills = new WillService(publisher, clock);
      InboxRoutes inboxRoutes = new InboxRoutes(router, deliverySettings);
      events.connect(inboxes, wills, inboxRoutes);

      // What time brings: sessions end, wills become due, retained messages expire.
      InboxSweeper sweeper =
          new InboxSweeper(
              stores.client(InboxReplicas.STORE),
              this::ledInboxIntervals,
              (owner, incarnation) -> !owner.equals(self.id()) || incarnation >= self.incarnation(),
              clock,
              inboxSettings,
              observers.inboxes());
      Sweeps sweeps = parts.add("sweeps", new Sweeps("sweeps"));
      sweeps.every(config.storeConfig().sweepInterval(), "persistent sessions", sweeper::sweep);
      sweeps.every(config.storeConfig().sweepInterval(), "retained messages", retained::sweep);

      this.status =
          () ->
              new NodeStatus(
                  publisher.status(),
                  router.status(),
                  inboxes.status(),
                  retained.count(),
                  stores.ranges().status(),
                  node.metadata().status(),
                  stores.clientStatus(),
                  kv.metrics(),
                  new NodeStatus.OverloadStatus(overload.isOverloaded(), overload.reading()),
                  new NodeStatus.Disk(
                      kv.failure() != null,
                      host.failure() != null,
                      disk.freeBytes(),
                      !disk.hasRoom()));

      // What the node tells of itself.
      SysTopicsSettings sysSettings = config.sysTopicsConfig();
      SysTopics sys =
          new SysTopics(
              sysSettings,
              self.id(),
              Version.text(),
              () -> SysFigures.of(clock.instant(), observers.traffic().get(), status.get()),
              message -> publisher.publishHere(sysSettings.tenant(), message));
      sys.run();
      sweeps.every(sysSettings.interval(), "$SYS topics", sys);
      ClientEvents clientEvents =
          sysSettings.clientEvents()
              ? new ClientTopics(sysSettings, self.id(), publisher)
              : ClientEvents.NONE;

      // Clients.
      MqttServerConfig mqtt = config.mqttServerConfig();
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
                  clock,
                  self,
                  Serving.ALWAYS));
      this.server =
          parts.add(
              "listeners",
              MqttServer.start(
                  listeners,
                  Transport.named(mqtt.transport()),
                  mqtt.workerThreads(),
                  sessions,
                  observers.listeners()));
      parts.add(
          "overload guard",
          OverloadWatch.start(
              overload, config.overloadConfig(), server.loops(), sessions::endStuck));
    } catch (StartException e) {
      parts.close();
      throw e;
    } catch (SecurityStartException e) {
      parts.close();
      throw new StartException(String.valueOf(e.getMessage()), e);
    } catch (IOException | ConsensusException | KvException | IllegalStateException e) {
      parts.close();
      throw new StartException(String.valueOf(e.getMessage()), e);
    } catch (RuntimeException e) {
      parts.close();
      throw e;
    }
  }

  private static List<ListenerSettings> listeners(BrokerConfig config) throws StartException {
    List<ListenerSettings> listeners = config.mqttServerConfig().listeners();
    if (listeners.isEmpty()) {
      throw new StartException(
          "no listener is named below mqttServerConfig, so no client could connect: add tcpListener");
    }
    return listeners;
  }

  private static void removeStaleRoutes(RangedRouter router, LocalNode self) throws StartException {
    try {
      int removed = router.removeStale(self.id(), self.incarnation()).join();
      if (removed > 0) {
        LOG.info("removed routes of this node's earlier life: {}", removed);
      }
    } catch (CompletionException e) {
      throw new StartException("stale routes could not be removed: " + e.getCause(), e);
    }
  }

  private boolean leads(RangeId range) {
    return stores.ranges().status().stream()
        .anyMatch(replica -> replica.leading() && replica.descriptor().id().equals(range));
  }

  private List<KeyInterval> ledInboxIntervals() {
    List<KeyInterval> led = new ArrayList<>();
    for (ReplicaStatus replica : stores.ranges().status()) {
      if (replica.leading() && replica.descriptor().id().store().equals(InboxReplicas.STORE)) {
        led.add(replica.descriptor().interval());
      }
    }
    return led;
  }

  /** Open listeners with the ports they really have. */
  public List<Listener> listeners() {
    return server.listeners();
  }

  /** Why clients should not be sent here; empty if they should. Any thread. */
  public List<String> notReadyBecause() {
    if (stopping) {
      return List.of("the node is stopping");
    }
    List<String> reasons = new ArrayList<>();
    KvException failure = kv.failure();
    Stream.of(disk.shortage(), failure == null ? null : failure.getMessage(), host.failure())
        .filter(Objects::nonNull)
        .forEach(reasons::add);
    reasons.addAll(stores.notLed());
    reasons.addAll(overload.reasons());
    return reasons;
  }

  /** Figures of all parts, for metrics. Does not block; any thread, until {@link #close}. */
  NodeStatus status() {
    return status.get();
  }

  /** Nodes and ranges of the cluster, for people. Any thread, until {@link #close}. */
  CompletableFuture<ClusterStatus> clusterStatus() {
    return CompletableFuture.completedFuture(new ClusterView(node, stores.ranges()).status());
  }

  /** Says goodbye to clients, gives their sessions back, flushes and closes everything. Blocks. */
  @Override
  public void close() {
    stopping = true;
    server.shutdown(shutdownTimeout);
    parts.close();
    LOG.info("stopped: node={}", node.identity().node());
  }
}
