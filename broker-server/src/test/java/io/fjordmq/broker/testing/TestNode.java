package io.fjordmq.broker.testing;

import io.fjordmq.broker.bans.BanList;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.RetainedBarrier;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.drain.NodeLifecycle;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.ClientEventQueries;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.broker.query.ClusterQueries;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxListener;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.client.RangeSessionQueries;
import io.fjordmq.inbox.client.ReplicatedInboxStore;
import io.fjordmq.retain.RetainReplicas;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.retain.client.ReplicatedRetainStore;
import io.fjordmq.router.RouteReplicas;
import io.fjordmq.router.RouteSettings;
import io.fjordmq.router.client.ReplicatedRouteStore;
import io.fjordmq.router.client.RouteBarrier;
import io.fjordmq.router.client.RouteObserver;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** One node of a {@link TestCluster}, assembled like {@link io.fjordmq.broker.Broker}. */
public final class TestNode {
  private static final int CLIENTS_PER_SECOND = 10; // one at the first call

  public final NodeId id;
  public final TestMembership membership;
  final InboxListener inboxEvents;
  public final NodeStreams streams;
  final ReplicatedRouteStore router;
  public final Sessions sessions;
  final InboxStore inboxes;
  public final SessionRegistry registry;

  /** What operators' queries read. */
  public final ClusterQueries.Dependencies queryDependencies;

  public final CountingSessionObserver sessionObserver = new CountingSessionObserver();

  /** Copies dropped, by reason. */
  public final Map<String, Long> dropped = new ConcurrentHashMap<>();

  /** Subscriptions whose retained messages were read before all in flight were stored. */
  public long retainedReadEarly;

  /** What happened to the clients of this node. */
  public final ClientEventLog history;

  public final ClientEventQueries events;

  private final TestCluster cluster;
  private final StreamLifecycle streamLifecycle;
  private final ChannelHandler pipeline;
  private final List<TestClient> clients = new ArrayList<>();
  private @Nullable X509Certificate certificate;

  TestNode(TestCluster cluster, NodeId id, RouteReplicas replicas) {
    this.cluster = cluster;
    this.id = id;
    this.membership = new TestMembership(id);
    LoopbackPeers.Node peer = cluster.peers.start(id);
    LocalNode self = new LocalNode(id.value(), membership::incarnation);
    RetainedBarrier retainedBarrier =
        new RetainedBarrier(
            membership,
            peer,
            cluster.ranges.timers(),
            cluster.delivery.maxRetainedWait(),
            observer());
    RouteBarrier barrier =
        new RouteBarrier(
            membership,
            peer,
            cluster.ranges.timers(),
            RouteSettings.DEFAULTS.barrier(),
            replicas,
            RouteObserver.NONE,
            retainedBarrier);
    router =
        new ReplicatedRouteStore(
            cluster.client(RouteReplicas.STORE), replicas, cluster.awaitsRoutes ? barrier : null);
    inboxes =
        new ReplicatedInboxStore(
            cluster.client(InboxReplicas.STORE),
            cluster.inboxReplicas,
            range -> true,
            InboxSettings.DEFAULT,
            cluster.ranges.timers(),
            cluster.ranges.timers(),
            InboxObserver.NONE);
    ReplicatedRetainStore retained =
        new ReplicatedRetainStore(
            RetainSettings.DEFAULTS,
            cluster.client(RetainReplicas.STORE),
            cluster.retained,
            cluster.ranges.timers());
    history = new ClientEventLog(EventsSettings.DEFAULTS, cluster.ranges.timers());
    events = ClientEventQueries.start(history, membership, peer);
    DeliveryAssembly delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                self,
                cluster.delivery,
                observer(),
                history,
                Tracer.off(),
                router,
                inboxes,
                retained,
                retainedBarrier,
                () -> true,
                membership::isServing,
                cluster.ranges.timers(),
                new TopicTraffic(),
                null));
    inboxEvents = delivery.inboxEvents();
    streams = delivery.streams();
    registry = delivery.registry();
    history.findConnectsIn(new ConnectedClients(registry)::connectEvent, () -> List.of("t", "u"));
    streamLifecycle =
        new StreamLifecycle(
            id, streams, peer, cluster.ranges.timers(), cluster.nodes, NodesObserver.NONE);
    new NodeReceiver(membership, delivery.receivedItems(), NodesObserver.NONE).start(peer);
    barrier.start(peer);
    retainedBarrier.start(peer);
    membership.watch(streamLifecycle);
    SessionSettings settings =
        Settings.with(
            Settings.with(Settings.with("readBytesPerSecond", 0), "writeBytesPerSecond", 0),
            "bindClientIdTo",
            cluster.binding);
    sessions =
        new Sessions(
            new SessionServices(
                Settings.forAll(settings, sessionObserver),
                ClientEvents.NONE,
                history,
                Tracer.off(),
                sessionObserver,
                cluster.security,
                SessionServices.Delivery.of(delivery),
                inboxes,
                retained,
                new SessionServices.NodeState(
                    self,
                    membership::notServingReason,
                    Overload.NEVER,
                    () -> true,
                    cluster.ranges.timers(),
                    BanList.empty()),
                SlowSubscriptions.disabled()));
    queryDependencies =
        new ClusterQueries.Dependencies(
            membership,
            peer,
            new ConnectedClients(registry),
            delivery.live(),
            () -> List.of("t"),
            new RangeSessionQueries(cluster.client(InboxReplicas.STORE), cluster.ranges.timers()),
            inboxes,
            delivery.routes(),
            replicas.table(),
            retained,
            new ClusterQueries.Publishing(
                delivery.distribution(), () -> false, tenant -> 100, null),
            cluster.ranges.timers());
    membership.watch(
        new NodeLifecycle(
            sessions,
            delivery.live(),
            () -> CompletableFuture.completedFuture(null),
            () -> CLIENTS_PER_SECOND,
            cluster.ranges.timers()));
    pipeline = PlainPipeline.of("tcpListener", () -> certificate, sessions);
  }

  private DeliveryObserver observer() {
    return new DeliveryObserver() {
      @Override
      public void onDropped(String reason, long copies) {
        dropped.merge(reason, copies, Long::sum);
      }

      @Override
      public void onRetainedReadEarly(long subscriptions) {
        retainedReadEarly += subscriptions;
      }
    };
  }

  long incarnation() {
    return membership.incarnation();
  }

  /** A client that has not sent anything yet. */
  public TestClient open() {
    TestClient client = new TestClient(cluster::settle, ByteBufAllocator.DEFAULT, pipeline);
    clients.add(client);
    return client;
  }

  /** The same with a verified TLS certificate; null for none. */
  public TestClient open(@Nullable X509Certificate its) {
    certificate = its;
    try {
      return open();
    } finally {
      certificate = null;
    }
  }

  /** A connected MQTT 5 client with a transient session; its CONNACK has been read. */
  public TestClient connect(String clientId) {
    TestClient client = open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  /** A connected client with a persistent session, new or present; its CONNACK has been read. */
  public TestClient connectPersistent(String clientId) {
    TestClient client = open().connect5(clientId, false, 1_000);
    client.readAll();
    return client;
  }

  boolean run() {
    boolean any = false;
    for (TestClient client : List.copyOf(clients)) {
      any |= client.runTasks();
    }
    return any;
  }

  void cutClients() {
    List.copyOf(clients).forEach(TestClient::cut);
  }

  void close() {
    clients.forEach(TestClient::dispose);
    streamLifecycle.close();
  }
}
