package io.fjordmq.broker.net;

import io.fjordmq.broker.NodeLifecycle;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.ReceivedItems;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.nodes.NodeReceiver;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.nodes.NodesObserver;
import io.fjordmq.broker.nodes.StreamLifecycle;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.Peer;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.TestMembership;
import io.fjordmq.cluster.peer.LoopbackPeers;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxStore;
import io.fjordmq.inbox.ReplicatedInboxStore;
import io.fjordmq.retain.RangedRetainStore;
import io.fjordmq.retain.RetainSettings;
import io.fjordmq.router.RangedRouter;
import io.fjordmq.router.RouteBarrier;
import io.fjordmq.router.RouterSettings;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** One node of a {@link TestCluster}, put together as {@link io.fjordmq.broker.Broker} does it. */
final class TestNode {
  final NodeId id;
  final TestMembership membership;
  final InboxEvents events;
  final NodeStreams streams = new NodeStreams();
  final RangedRouter router;
  final Sessions sessions;
  final InboxStore inboxes;
  final SessionRegistry registry = new SessionRegistry(streams);

  final CountingSessionObserver counted = new CountingSessionObserver();

  /** Copies dropped, by reason. */
  final Map<String, Long> dropped = new ConcurrentHashMap<>();

  private final TestCluster cluster;
  private static final int CLIENTS_PER_SECOND = 10; // one at the first call

  private final StreamLifecycle keeper;
  private final MqttPipeline pipeline;
  private final List<TestClient> clients = new ArrayList<>();

  TestNode(TestCluster cluster, NodeId id, RangedRouter.Replicas replicas) {
    this.cluster = cluster;
    this.id = id;
    this.membership = new TestMembership(id);
    LoopbackPeers.Node peer = cluster.peers.start(id);
    LocalNode self = new LocalNode(id.value(), membership::incarnation);
    DeliveryObserver observer = observer();
    LiveDispatch dispatch = new LiveDispatch(cluster.delivery, observer);
    events = new InboxEvents(self, registry, dispatch, cluster.delivery, streams, observer);
    keeper =
        new StreamLifecycle(
            id, streams, peer, cluster.ranges.timers(), cluster.nodes, NodesObserver.NONE);
    RouteBarrier barrier =
        new RouteBarrier(
            membership, peer, cluster.ranges.timers(), RouterSettings.DEFAULTS.barrier(), replicas);
    router = new RangedRouter(cluster.client("dist"), replicas, cluster.waits ? barrier : null);
    inboxes =
        new ReplicatedInboxStore(
            cluster.client(InboxReplicas.STORE),
            cluster.inboxReplicas,
            range -> true,
            InboxSettings.DEFAULT,
            cluster.ranges.timers(),
            cluster.ranges.timers(),
            InboxObserver.NONE);
    RangedRetainStore retained =
        new RangedRetainStore(
            RetainSettings.DEFAULTS,
            cluster.client("retain"),
            cluster.retained,
            cluster.ranges.timers());
    LocalSubscriptions live =
        new LocalSubscriptions(self, router, dispatch, cluster.delivery, observer);
    Distribution publisher =
        new Distribution(
            self,
            router,
            inboxes,
            retained,
            live,
            registry,
            dispatch,
            cluster.delivery,
            streams,
            () -> true,
            membership::isServing,
            observer);
    InboxRoutes routes = new InboxRoutes(router, cluster.delivery);
    WillService wills = new WillService(publisher, cluster.ranges.timers());
    events.connect(inboxes, wills, routes, publisher);
    new NodeReceiver(
            membership,
            new ReceivedItems(live, dispatch, registry, events, membership::isServing),
            NodesObserver.NONE)
        .start(peer);
    barrier.start(peer);
    membership.watch(keeper);
    SessionSettings settings =
        Settings.with(
            Settings.with(Settings.with("readBytesPerSecond", 0), "writeBytesPerSecond", 0),
            "bindClientIdTo",
            cluster.binding);
    sessions =
        new Sessions(
            new SessionServices(
                Settings.forAll(settings, counted),
                Overload.NEVER,
                ClientEvents.NONE,
                counted,
                cluster.security,
                registry,
                publisher,
                live,
                inboxes,
                routes,
                retained,
                () -> true,
                cluster.ranges.timers(),
                self,
                membership::notServingBecause));
    membership.watch(
        new NodeLifecycle(
            sessions,
            live,
            () -> CompletableFuture.completedFuture(null),
            CLIENTS_PER_SECOND,
            cluster.ranges.timers()));
    pipeline =
        new MqttPipeline(
            channel -> Peer.plain("tcpListener", channel.remoteAddress()),
            TransportStack.plain(),
            sessions,
            1_000);
  }

  private DeliveryObserver observer() {
    return new DeliveryObserver() {
      @Override
      public void dropped(String reason, long copies) {
        dropped.merge(reason, copies, Long::sum);
      }
    };
  }

  long incarnation() {
    return membership.incarnation();
  }

  /** A client that has not said anything yet. */
  TestClient open() {
    TestClient client = new TestClient(cluster::settle, ByteBufAllocator.DEFAULT, pipeline);
    clients.add(client);
    return client;
  }

  /** A connected client with a transient session, of MQTT 5; its CONNACK is read. */
  TestClient connect(String clientId) {
    TestClient client = open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  /** A connected client with a persistent session, new or present; its CONNACK is read. */
  TestClient connectPersistent(String clientId) {
    TestClient client = open().connect5(clientId, false, 1_000);
    client.all();
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
    keeper.close();
  }
}
