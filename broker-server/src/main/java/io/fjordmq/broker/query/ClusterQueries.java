package io.fjordmq.broker.query;

import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.PublishRouter;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.cluster.membership.Membership;
import io.fjordmq.cluster.peer.PeerNetwork;
import io.fjordmq.common.Deadlines;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.SessionQueries;
import io.fjordmq.retain.RetainStore;
import io.fjordmq.router.RouteTable;
import java.time.InstantSource;
import java.util.Collection;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The queries of one node about the whole cluster. Close it before the peer port. */
public final class ClusterQueries implements AutoCloseable {
  /**
   * The data sources of the queries.
   *
   * @param membership the nodes
   * @param peers calls to and from other nodes
   * @param clients the clients of this node
   * @param live the subscriptions of these clients
   * @param tenants the tenants that this node knows
   * @param sessions reads persistent sessions
   * @param inboxes ends persistent sessions
   * @param inboxRoutes removes the routes of ended sessions
   * @param routes the routes that this node knows
   * @param retained the retained messages, including this node's {@code $SYS} topics
   * @param publishing publishes messages
   * @param clock wall clock
   */
  public record Dependencies(
      Membership membership,
      PeerNetwork peers,
      ConnectedClients clients,
      LocalSubscriptions live,
      Supplier<Collection<String>> tenants,
      SessionQueries sessions,
      InboxStore inboxes,
      InboxRoutes inboxRoutes,
      RouteTable routes,
      RetainStore retained,
      Publishing publishing,
      InstantSource clock) {}

  /**
   * The dependencies of publishing.
   *
   * @param overloaded whether this node is overloaded
   * @param maxPayloadBytes the maximum payload of a tenant in bytes; 0 for none
   * @param tracer begins the spans of traced messages; null if there are none
   */
  public record Publishing(
      PublishRouter router,
      BooleanSupplier overloaded,
      ToIntFunction<String> maxPayloadBytes,
      @Nullable MessageTracer tracer) {}

  private static final int THREADS = 2;

  private final AutoCloseable threads;
  private final ClientQueries clients;
  private final SubscriptionQueries subscriptions;
  private final QueueQueries queues;
  private final TopicQueries topics;
  private final RetainedQueries retained;
  private final MessagePublisher publisher;
  private final SessionTransfer sessionTransfer;
  private final RetainedTransfer retainedTransfer;

  /** Starts answering other nodes, with threads of its own. */
  public static ClusterQueries open(Dependencies dependencies) {
    QueryThreads threads = new QueryThreads("query", THREADS);
    QueryThreads topicThread = new QueryThreads("query-topics", 1);
    return new ClusterQueries(
        dependencies,
        threads,
        topicThread,
        () -> {
          threads.close();
          topicThread.close();
        });
  }

  /** Starts answering other nodes on given threads, for tests. */
  static ClusterQueries openOn(Dependencies dependencies, Executor queryThreads) {
    return new ClusterQueries(dependencies, queryThreads, queryThreads, () -> {});
  }

  private ClusterQueries(
      Dependencies dependencies,
      Executor queryThreads,
      Executor topicThread,
      AutoCloseable threads) {
    this.threads = threads;
    LocalClients local =
        new LocalClients(
            dependencies.clients, dependencies.tenants, dependencies.inboxes::status, queryThreads);
    LocalSubscriptionList localSubscriptions =
        new LocalSubscriptionList(
            dependencies.clients,
            dependencies.live,
            dependencies.routes,
            dependencies.membership.self());
    QueryNodes nodes =
        new QueryNodes(
            dependencies.membership,
            dependencies.peers,
            local,
            localSubscriptions,
            new Deadlines());
    dependencies.peers.serve(
        QueryService.NAME, new QueryService(local, localSubscriptions, queryThreads));
    subscriptions =
        new SubscriptionQueries(nodes, dependencies.sessions, dependencies.routes, queryThreads);
    clients =
        new ClientQueries(
            nodes,
            dependencies.sessions,
            dependencies.inboxes,
            dependencies.inboxRoutes,
            queryThreads);
    queues = new QueueQueries(nodes, dependencies.sessions);
    topics = new TopicQueries(dependencies.routes, topicThread);
    retained = new RetainedQueries(dependencies.retained, dependencies.clock, queryThreads);
    sessionTransfer =
        new SessionTransfer(
            clients,
            dependencies.sessions,
            dependencies.inboxes,
            dependencies.inboxRoutes,
            dependencies.membership);
    retainedTransfer = new RetainedTransfer(dependencies.retained);
    Publishing publishing = dependencies.publishing;
    publisher =
        new MessagePublisher(
            publishing.router,
            publishing.overloaded,
            publishing.maxPayloadBytes,
            dependencies.clock,
            publishing.tracer);
  }

  /** Connected clients and offline sessions. */
  public ClientQueries clients() {
    return clients;
  }

  /** Subscriptions of clients and offline sessions. */
  public SubscriptionQueries subscriptions() {
    return subscriptions;
  }

  /** Queued and in-flight messages. */
  public QueueQueries queues() {
    return queues;
  }

  /** Topic filters with subscribers. */
  public TopicQueries topics() {
    return topics;
  }

  /** Retained messages. */
  public RetainedQueries retained() {
    return retained;
  }

  /** Publishes messages. */
  public MessagePublisher publisher() {
    return publisher;
  }

  /** Exports and creates sessions. */
  public SessionTransfer sessionTransfer() {
    return sessionTransfer;
  }

  /** Exports and stores retained messages. */
  public RetainedTransfer retainedTransfer() {
    return retainedTransfer;
  }

  @Override
  public void close() throws Exception {
    threads.close();
  }
}
