package io.fjordmq.broker;

import io.fjordmq.broker.admin.ClusterCommands;
import io.fjordmq.broker.admin.ClusterView;
import io.fjordmq.broker.cluster.ClusterNode;
import io.fjordmq.broker.cluster.Stores;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.drain.Drain;
import io.fjordmq.broker.drain.LeadershipHandover;
import io.fjordmq.broker.drain.ServerReferences;
import io.fjordmq.broker.lifecycle.PeriodicTasks;
import io.fjordmq.broker.lifecycle.ShutdownSequence;
import io.fjordmq.broker.lifecycle.StartException;
import io.fjordmq.broker.limits.OverloadGuard;
import io.fjordmq.broker.limits.OverloadWatch;
import io.fjordmq.broker.net.MqttServer;
import io.fjordmq.broker.net.Transport;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.ClusterMembership;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.client.RouteSweeper;
import java.time.Duration;
import java.util.List;

/**
 * The last stage of a node: periodic work, what operators see and change, and finally the listeners
 * that admit clients.
 */
final class Operations implements ShutdownSequence.Composite {
  record Needs(
      BrokerConfig config,
      ClusterNode node,
      ReplicatedStores stores,
      Front front,
      OverloadGuard overload,
      Observers observers) {}

  private final ShutdownSequence shutdownSequence = new ShutdownSequence();
  private final ClusterView view;
  private final ClusterCommands commands;
  private final Drain drain;
  private final MqttServer server;

  /** Returns when clients can connect. Blocks until the cluster has admitted this node. */
  static Operations open(Needs needs) throws StartException {
    return new Operations(needs);
  }

  private Operations(Needs needs) throws StartException {
    BrokerConfig config = needs.config;
    ClusterNode node = needs.node;
    Stores ranges = needs.stores.ranges();
    Sessions sessions = needs.front.sessions();
    view = new ClusterView(node, ranges);
    view.start(node.peers());
    view.addNotes(needs.stores.disk()::notes);
    commands = new ClusterCommands(node, ranges, config.storePlacements());
    ServerReferences references = new ServerReferences(node.membership(), node.metadata());
    drain = new Drain(node.membership(), ranges, sessions, references, config.drainConfig());
    try {
      startSweeps(needs);
      // From here on the cluster may count this node, and then clients may connect.
      shutdownSequence.add("service", node.offerService());
      shutdownSequence.add(
          "leadership",
          new LeadershipHandover(ranges.ranges(), () -> node.membership().members().counted()));
      node.awaitServing(config.storeConfig().leaderTimeout(), ranges::hasHaltedRoutes);
      references.publish(config.clusterConfig().serverReference());
      view.logNotes();
      server =
          MqttServer.start(
              config.mqttServerConfig().listeners(),
              Transport.named(config.mqttServerConfig().transport()),
              config.mqttServerConfig().workerThreads(),
              sessions,
              needs.observers.listeners());
      Duration timeout = config.mqttServerConfig().shutdownTimeout();
      shutdownSequence.addSlow("listeners", timeout, () -> server.shutdown(timeout));
      shutdownSequence.add(
          "overload guard",
          OverloadWatch.start(
              needs.overload, config.overloadConfig(), server.loops(), sessions::endStuck));
    } catch (StartException | RuntimeException e) {
      shutdownSequence.close();
      throw e;
    }
  }

  /** Sessions end, wills become due, retained messages expire, $SYS topics are published. */
  private void startSweeps(Needs needs) {
    ReplicatedStores stores = needs.stores;
    ClusterMembership membership = needs.node.membership();
    Duration interval = needs.config.storeConfig().sweepInterval();
    InboxSweeper sweeper =
        new InboxSweeper(
            stores.ranges().client(InboxReplicas.STORE),
            () -> stores.ranges().ledIntervals(InboxReplicas.STORE),
            (owner, incarnation) -> !membership.members().hasEnded(new NodeId(owner), incarnation),
            membership.clock(),
            needs.config.inboxConfig(),
            needs.observers.inboxes());
    RouteSweeper stale =
        new RouteSweeper(
            stores.router(),
            membership::members,
            () -> stores.ranges().leadsFirst(RouteReplicas.STORE));
    PeriodicTasks tasks = shutdownSequence.add("sweeps", new PeriodicTasks("sweeps"));
    tasks.every(interval, "persistent sessions", sweeper::sweep);
    tasks.every(interval, "retained messages", stores.retainSweeper()::sweep);
    tasks.every(interval, "routes", stale::sweep);
    tasks.every(needs.config.sysTopicsConfig().interval(), "$SYS topics", needs.front.sys());
  }

  /** The nodes and ranges of the cluster. */
  ClusterView view() {
    return view;
  }

  /** The commands of operators. */
  ClusterCommands commands() {
    return commands;
  }

  /** Drains this node before it stops. */
  Drain drain() {
    return drain;
  }

  /** The server of the clients. */
  MqttServer server() {
    return server;
  }

  @Override
  public List<String> hung() {
    return shutdownSequence.unclosedComponents();
  }

  @Override
  public void close() {
    shutdownSequence.close();
  }
}
