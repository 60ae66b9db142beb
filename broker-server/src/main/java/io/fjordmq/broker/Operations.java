package io.fjordmq.broker;

import io.fjordmq.broker.accounts.AuditLog;
import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.admin.Decommission;
import io.fjordmq.broker.admin.LocalOperations;
import io.fjordmq.broker.admin.NodeNames;
import io.fjordmq.broker.admin.NodeOperations;
import io.fjordmq.broker.admin.NodeReport;
import io.fjordmq.broker.admin.NodeReports;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.NodeName;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.drain.Drain;
import io.fjordmq.broker.drain.Evacuation;
import io.fjordmq.broker.drain.LeadershipHandover;
import io.fjordmq.broker.drain.ServerReferences;
import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.limits.OverloadWatch;
import io.fjordmq.broker.net.Listener;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.Transport;
import io.fjordmq.broker.security.Plugins;
import io.fjordmq.broker.security.ProviderViews;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.settings.RuntimeSettings;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.client.RouteSweeper;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The last stage of a node: periodic tasks, status and commands for operators, and finally the
 * listeners for clients.
 */
final class Operations implements ShutdownSequence.Composite {
  record Dependencies(
      BrokerConfig config,
      ClusterNode node,
      ReplicatedStores stores,
      ClientServices clientServices,
      OverloadGuard overload,
      Administration administration,
      Observers observers) {}

  /**
   * The administrative components of this node.
   *
   * @param plugins the plugins of this node
   * @param providers the authentication and authorization providers of this node
   */
  record Administration(
      RuntimeSettings settings, AuditLog audit, Plugins plugins, ProviderViews providers) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final ClusterView view;
  private final NodeReports reports;
  private final ClusterCommands commands;
  private final NodeNames names;
  private final RuntimeSettings settings;
  private final Drain drain;
  private final Decommission decommission;
  private final NodeOperations nodeOperations;
  private final MqttServer server;
  private final Monitoring monitoring;

  /** Blocks until the cluster has admitted this node and clients can connect. */
  static Operations open(Dependencies dependencies) throws StartException {
    return new Operations(dependencies);
  }

  private Operations(Dependencies dependencies) throws StartException {
    BrokerConfig config = dependencies.config;
    ClusterNode node = dependencies.node;
    Stores ranges = dependencies.stores.ranges();
    Sessions sessions = dependencies.clientServices.sessions();
    names = new NodeNames(node.membership(), key -> node.metadata().view().get(key));
    view = new ClusterView(node, ranges, names, config.membershipConfig());
    view.start(node.peers());
    view.setExtraNotes(dependencies.stores.disk()::notes);
    reports = startReports(dependencies);
    commands = new ClusterCommands(node, ranges, config.storePlacements());
    ServerReferences references = new ServerReferences(node.membership(), node.metadata());
    settings = dependencies.administration.settings;
    drain =
        new Drain(
            node.membership(),
            ranges,
            sessions,
            references,
            () -> settings.current().drainConfig());
    Evacuation evacuation =
        shutdownSequence.add("evacuation", new Evacuation(node.membership(), drain));
    decommission = shutdownSequence.add("decommission", new Decommission(commands));
    try {
      startSweeps(dependencies);
      // From now on, the cluster can mark this node UP and let it serve clients.
      shutdownSequence.add("service", node.declareReady());
      shutdownSequence.add(
          "leadership",
          new LeadershipHandover(ranges.ranges(), () -> node.membership().members().counted()));
      node.awaitServing(config.storeConfig().leaderTimeout(), ranges::hasHaltedRoutes);
      references.publish(config.clusterConfig().serverReference());
      names.publish(NodeName.of(config.clusterConfig(), node.self().value()));
      view.logNotes();
      server =
          MqttServer.start(
              config.mqttServerConfig().listeners(),
              Transport.named(config.mqttServerConfig().transport()),
              config.mqttServerConfig().workerThreads(),
              sessions,
              dependencies.observers.listeners());
      nodeOperations =
          shutdownSequence.add("node operations", nodeOperations(dependencies, evacuation));
      Duration timeout = config.mqttServerConfig().shutdownTimeout();
      shutdownSequence.addSlow("listeners", timeout, () -> server.shutdown(timeout));
      shutdownSequence.add(
          "overload guard",
          OverloadWatch.start(
              dependencies.overload,
              config.overloadConfig(),
              server.eventLoops(),
              sessions::disconnectStuckClients));
      monitoring = shutdownSequence.add("monitoring", openMonitoring(dependencies));
    } catch (StartException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  private Monitoring openMonitoring(Dependencies dependencies) {
    Monitoring opened =
        Monitoring.open(
            new Monitoring.Dependencies(
                dependencies.config,
                dependencies.node,
                dependencies.stores,
                dependencies.overload,
                names,
                dependencies.observers));
    opened.alarms().addCertificates(server::certificates);
    return opened;
  }

  private static NodeReports startReports(Dependencies dependencies) {
    long started = System.nanoTime();
    Sessions sessions = dependencies.clientServices.sessions();
    return NodeReports.start(
        dependencies.node.membership(),
        dependencies.node.peers(),
        () ->
            new NodeReport(
                Version.text(),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started),
                sessions.size(),
                Monitoring.resources(dependencies.stores.disk(), dependencies.overload)));
  }

  /** Starts answering operator requests about this node, which can arrive at any node. */
  private NodeOperations nodeOperations(Dependencies dependencies, Evacuation evacuation) {
    Administration administration = dependencies.administration;
    return NodeOperations.start(
        dependencies.node.membership(),
        dependencies.node.peers(),
        new LocalOperations.Parts(
            () -> server.listeners().stream().map(Listener::status).toList(),
            administration.audit,
            commands,
            evacuation,
            decommission,
            administration.plugins::status,
            administration.plugins::reload,
            administration.settings::entries,
            administration.providers::clearCaches));
  }

  /**
   * Starts the periodic tasks: expiring sessions and messages, sending wills, removing stale
   * routes, and publishing $SYS topics.
   */
  private void startSweeps(Dependencies dependencies) {
    ReplicatedStores stores = dependencies.stores;
    ClusterMembership membership = dependencies.node.membership();
    Duration interval = dependencies.config.storeConfig().sweepInterval();
    InboxSweeper inboxSweeper =
        new InboxSweeper(
            stores.ranges().client(InboxReplicas.STORE),
            () -> stores.ranges().ledIntervals(InboxReplicas.STORE),
            (owner, incarnation) -> !membership.members().hasEnded(new NodeId(owner), incarnation),
            membership.clock(),
            dependencies.config.inboxConfig(),
            dependencies.observers.inboxes());
    RouteSweeper routeSweeper =
        new RouteSweeper(
            stores.router(),
            membership::members,
            () -> stores.ranges().leadsFirstRange(RouteReplicas.STORE));
    PeriodicTasks tasks = shutdownSequence.add("sweeps", new PeriodicTasks("sweeps"));
    tasks.every(interval, "persistent sessions", inboxSweeper::sweep);
    tasks.every(interval, "retained messages", stores.retainSweeper()::sweep);
    tasks.every(interval, "routes", routeSweeper::sweep);
    tasks.every(
        dependencies.config.sysTopicsConfig().interval(),
        "$SYS topics",
        dependencies.clientServices.sys());
  }

  /** The nodes and ranges of the cluster. */
  ClusterView view() {
    return view;
  }

  /** The names of the nodes. */
  NodeNames names() {
    return names;
  }

  /** Alarms and measured values. */
  Monitoring monitoring() {
    return monitoring;
  }

  /** The reports of the nodes about themselves. */
  NodeReports reports() {
    return reports;
  }

  /** The operator commands. */
  ClusterCommands commands() {
    return commands;
  }

  /** The procedure that drains this node before it stops. */
  Drain drain() {
    return drain;
  }

  /** Whether every stop drains this node first. */
  boolean drainsAtStop() {
    return settings.current().drainConfig().atStop();
  }

  /** The decommissioning of this node. */
  Decommission decommission() {
    return decommission;
  }

  /** Operator requests to single nodes. */
  NodeOperations nodeOperations() {
    return nodeOperations;
  }

  /** The MQTT server. */
  MqttServer server() {
    return server;
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
