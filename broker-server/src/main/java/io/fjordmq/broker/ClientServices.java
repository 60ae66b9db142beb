package io.fjordmq.broker;

import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.disk.NodeDisk;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.drain.NodeLifecycle;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.ClientEventQueries;
import io.fjordmq.broker.flapping.FlappingDetector;
import io.fjordmq.broker.flapping.FlappingSettings;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.broker.ops.NodeStatus;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.query.SlowSubscriptionQueries;
import io.fjordmq.broker.query.TopicMetricQueries;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.sys.ClientTopics;
import io.fjordmq.broker.sys.SysRetained;
import io.fjordmq.broker.sys.SysTopics;
import io.fjordmq.broker.sys.SysTopicsSettings;
import io.fjordmq.broker.sys.SysValues;
import io.fjordmq.cluster.membership.ClusterClock;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.RangeSessionQueries;
import io.fjordmq.range.kv.RocksKv;
import io.fjordmq.router.RouteReplicas;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The fourth stage of a node: everything between the stores and the listeners. It distributes
 * messages, opens streams to other nodes and creates sessions. Clients are admitted later, by
 * {@code Operations}.
 */
final class ClientServices implements ShutdownSequence.Composite {
  record Dependencies(
      BrokerConfig config,
      RocksKv kv,
      ClusterNode node,
      ReplicatedStores stores,
      Security security,
      Tenants tenants,
      OverloadGuard overload,
      ControlPlane controlPlane,
      Diagnostics diagnostics,
      Observers observers) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final Dependencies dependencies;
  private final ClusterClock clock;
  private final LocalNode self;
  private final DeliveryAssembly delivery;
  private final ConnectedClients clients;
  private final ClientEventLog eventLog;
  private final ClientEventQueries events;
  private final SlowSubscriptions slow;
  private final SlowSubscriptionQueries slowQueries;
  private final TopicMetricQueries topicQueries;
  private final SysTopics sys;
  private final Sessions sessions;
  private final ClusterQueries queries;

  static ClientServices open(Dependencies dependencies) {
    return new ClientServices(dependencies);
  }

  private ClientServices(Dependencies dependencies) {
    this.dependencies = dependencies;
    ClusterMembership membership = dependencies.node.membership();
    ReplicatedStores stores = dependencies.stores;
    clock = membership.clock();
    self = new LocalNode(dependencies.node.self().value(), membership::incarnation);
    eventLog = new ClientEventLog(dependencies.config.eventsConfig(), InstantSource.system());
    slow = new SlowSubscriptions(dependencies.config.slowSubscriptionConfig());
    delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                self,
                dependencies.config.deliveryConfig(),
                dependencies.observers.delivery(),
                dependencies.diagnostics.traces().tracer().tracing(eventLog),
                dependencies.diagnostics.traces().tracer(),
                stores.router(),
                stores.inboxes(),
                stores.retained(),
                stores.retainedBarrier(),
                stores.disk()::canStoreMessages,
                membership::isServing,
                clock,
                dependencies.controlPlane.topicMetrics().traffic(),
                dependencies.diagnostics.telemetry().tracer()));
    clients = new ConnectedClients(delivery.registry());
    eventLog.findConnectsIn(clients::connectEvent, dependencies.tenants::known);
    stores.inboxEvents().forwardTo(delivery.inboxEvents());
    try {
      openStreams(membership);
      events = ClientEventQueries.start(eventLog, membership, dependencies.node.peers());
      slowQueries =
          SlowSubscriptionQueries.start(slow, membership, dependencies.node.peers(), clock);
      topicQueries =
          TopicMetricQueries.start(
              dependencies.controlPlane.topicMetrics().traffic(),
              membership,
              dependencies.node.peers());
      sys = sysTopics();
      sys.run();
      sessions = sessions(membership);
      queries = shutdownSequence.add("queries", queries(membership));
      membership.watch(
          new NodeLifecycle(
              sessions,
              delivery.live(),
              () -> stores.ranges().catchUp(RouteReplicas.STORE),
              () -> dependencies.controlPlane.settings().current().drainConfig().clientsPerSecond(),
              stores.timers()));
    } catch (RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  /** Opens the streams to and from other nodes. */
  private void openStreams(ClusterMembership membership) {
    ClusterNode node = dependencies.node;
    new NodeReceiver(membership, delivery.receivedItems(), dependencies.observers.nodes())
        .start(node.peers());
    membership.watch(
        shutdownSequence.add(
            "streams to other nodes",
            new StreamLifecycle(
                node.self(),
                delivery.streams(),
                node.peers(),
                dependencies.stores.timers(),
                dependencies.config.nodesConfig(),
                dependencies.observers.nodes())));
  }

  private SysTopics sysTopics() {
    SysTopicsSettings settings = dependencies.config.sysTopicsConfig();
    return new SysTopics(
        settings,
        self.id(),
        Version.text(),
        () -> SysValues.of(clock.instant(), dependencies.observers.traffic().get(), status()),
        message -> delivery.distribution().publishLocally(settings.tenant(), message));
  }

  private Sessions sessions(ClusterMembership membership) {
    return new Sessions(
        new SessionServices(
            dependencies.tenants,
            ClientEvents.of(clientListeners()),
            eventLog,
            dependencies.diagnostics.traces().tracer(),
            dependencies.observers.sessions(),
            dependencies.security,
            SessionServices.Delivery.of(delivery, dependencies.diagnostics.telemetry().tracer()),
            dependencies.stores.inboxes(),
            new SysRetained(dependencies.stores.retained(), sys),
            new SessionServices.NodeState(
                self,
                membership::notServingReason,
                dependencies.overload,
                dependencies.stores.disk()::canStoreMessages,
                clock,
                dependencies.controlPlane.bans().list()),
            slow));
  }

  private List<ClientEvents> clientListeners() {
    List<ClientEvents> listeners = new ArrayList<>();
    SysTopicsSettings sysSettings = dependencies.config.sysTopicsConfig();
    if (sysSettings.clientEvents()) {
      listeners.add(new ClientTopics(sysSettings, self.id(), delivery.distribution()));
    }
    FlappingSettings flapping = dependencies.config.flappingConfig();
    if (flapping.enabled()) {
      listeners.add(
          new FlappingDetector(
              flapping,
              new FlappingDetector.Dependencies(
                  dependencies.controlPlane.bans()::add,
                  eventLog,
                  dependencies.observers.security())));
    }
    return listeners;
  }

  private ClusterQueries queries(ClusterMembership membership) {
    ReplicatedStores stores = dependencies.stores;
    return ClusterQueries.open(
        new ClusterQueries.Dependencies(
            membership,
            dependencies.node.peers(),
            clients,
            delivery.live(),
            dependencies.tenants::known,
            new RangeSessionQueries(stores.ranges().client(InboxReplicas.STORE), clock),
            stores.inboxes(),
            delivery.routes(),
            stores.routeTable(),
            new SysRetained(stores.retained(), sys),
            new ClusterQueries.Publishing(
                delivery.distribution(),
                dependencies.overload::isOverloaded,
                tenant -> dependencies.tenants.of(tenant).session().maxPayloadBytes(),
                dependencies.diagnostics.telemetry().tracer()),
            clock));
  }

  /** The queries of operators about the whole cluster. */
  ClusterQueries queries() {
    return queries;
  }

  /** The recent events of clients on all nodes. */
  ClientEventQueries events() {
    return events;
  }

  /** The slow subscriptions of all nodes. */
  SlowSubscriptionQueries slowSubscriptions() {
    return slowQueries;
  }

  /** The messages of registered topics on all nodes. */
  TopicMetricQueries topicMetrics() {
    return topicQueries;
  }

  /** All sessions on this node. */
  Sessions sessions() {
    return sessions;
  }

  /** Publishes the $SYS topics each time it runs. */
  SysTopics sys() {
    return sys;
  }

  /** The state of all components. Thread-safe; does not block. */
  NodeStatus status() {
    ReplicatedStores stores = dependencies.stores;
    NodeDisk disk = stores.disk();
    return new NodeStatus(
        delivery.distribution().status(),
        stores.router().status(),
        stores.inboxes().status(),
        stores.retained().count(),
        stores.ranges().ranges().status(),
        stores.ranges().rangeLoads(),
        dependencies.node.metadata().status(),
        stores.ranges().clientStatus(),
        dependencies.kv.metrics(),
        new NodeStatus.OverloadStatus(
            dependencies.overload.isOverloaded(), dependencies.overload.reading()),
        new NodeStatus.Disk(
            dependencies.kv.failure() != null,
            dependencies.node.host().failure() != null,
            disk.freeBytes(),
            disk.isLow()),
        clock.wallAheadMillis(),
        new NodeStatus.Cluster(
            dependencies.node.membership().isServing(),
            dependencies.node.membership().leaseRemaining().toMillis(),
            dependencies.node.membership().level(),
            dependencies.node.membership().members(),
            stores.ranges().health()));
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
