package io.fjordmq.broker.query;

import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.SessionQueries;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/** The queries of one node about the whole cluster. Close it before the peer port. */
public final class ClusterQueries implements AutoCloseable {
  /**
   * What the queries read.
   *
   * @param membership the nodes
   * @param peers calls to and from other nodes
   * @param clients the clients of this node
   * @param tenants the tenants that this node knows
   * @param sessions reads persistent sessions
   * @param inboxes ends persistent sessions
   * @param routes removes the routes of ended sessions
   */
  public record Dependencies(
      Membership membership,
      PeerNetwork peers,
      ConnectedClients clients,
      Supplier<Collection<String>> tenants,
      SessionQueries sessions,
      InboxStore inboxes,
      InboxRoutes routes) {}

  private final AutoCloseable threads;
  private final ClientQueries clients;
  private final SubscriptionQueries subscriptions;

  /** Starts answering other nodes, with threads of its own. */
  public static ClusterQueries open(Dependencies dependencies) {
    QueryThreads threads = new QueryThreads();
    return new ClusterQueries(dependencies, threads, threads);
  }

  /** Starts answering other nodes on given threads, for tests. */
  static ClusterQueries openOn(Dependencies dependencies, Executor queryThreads) {
    return new ClusterQueries(dependencies, queryThreads, () -> {});
  }

  private ClusterQueries(Dependencies dependencies, Executor queryThreads, AutoCloseable threads) {
    this.threads = threads;
    LocalClients local =
        new LocalClients(
            dependencies.clients, dependencies.tenants, dependencies.inboxes::status, queryThreads);
    LocalSubscriptionList localSubscriptions =
        new LocalSubscriptionList(dependencies.clients, queryThreads);
    QueryNodes nodes =
        new QueryNodes(dependencies.membership, dependencies.peers, local, localSubscriptions);
    dependencies.peers.serve(QueryService.NAME, new QueryService(local, localSubscriptions));
    subscriptions = new SubscriptionQueries(nodes, dependencies.sessions, queryThreads);
    clients =
        new ClientQueries(
            nodes, dependencies.sessions, dependencies.inboxes, dependencies.routes, queryThreads);
  }

  /** Connected clients and offline sessions. */
  public ClientQueries clients() {
    return clients;
  }

  /** Subscriptions of clients and offline sessions. */
  public SubscriptionQueries subscriptions() {
    return subscriptions;
  }

  @Override
  public void close() throws Exception {
    threads.close();
  }
}
