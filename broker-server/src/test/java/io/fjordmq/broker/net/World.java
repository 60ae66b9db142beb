package io.fjordmq.broker.net;

import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.DeliverySettings;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.InboxEvents;
import io.fjordmq.broker.delivery.InboxRoutes;
import io.fjordmq.broker.delivery.LiveDispatch;
import io.fjordmq.broker.delivery.LocalNode;
import io.fjordmq.broker.delivery.LocalSubscriptions;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.delivery.WillService;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.Peer;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.SessionSettings;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.inbox.InboxLimits;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The real pipeline, sessions and delivery on stores in memory. Nothing runs by itself: {@link
 * #settle} runs the stores and the event loops until all are quiet.
 */
final class World implements AutoCloseable {
  final StoreTasks tasks = new StoreTasks();
  final MapRouter router = new MapRouter(tasks);
  final MemoryInboxStore inboxes = new MemoryInboxStore(tasks);
  final MapRetainStore retained = new MapRetainStore(tasks);
  final CountingSessionObserver observer = new CountingSessionObserver();

  /** Copies dropped on their way to a session, by reason. */
  final Map<String, Long> undelivered = new ConcurrentHashMap<>();

  final SessionRegistry registry = new SessionRegistry(new NodeStreams());
  final SessionSettings settings;
  boolean overloaded;
  final Sessions sessions;
  ByteBufAllocator buffers = ByteBufAllocator.DEFAULT;
  private final List<TestClient> clients = new ArrayList<>();
  private final MqttPipeline pipeline;
  private StoreTasks routing = tasks;

  /** Whether the disk has room. */
  boolean room = true;

  /** Whether the node's lease holds. */
  boolean serving = true;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  World() {
    this(SessionSettings.defaults());
  }

  World(SessionSettings settings) {
    this(settings, Security.allowAll("t"));
  }

  World(SessionSettings settings, Security security) {
    this(settings, security, ClientEvents.NONE);
  }

  World(SessionSettings settings, Security security, ClientEvents events) {
    this(
        new TenantLimits(settings, TenantSettings.DEFAULTS, InboxLimits.DEFAULT),
        Map.of(),
        security,
        events);
  }

  World(TenantLimits limits, Map<String, TenantLimits> own, Security security) {
    this(limits, own, security, ClientEvents.NONE);
  }

  private World(
      TenantLimits limits,
      Map<String, TenantLimits> own,
      Security security,
      ClientEvents clientEvents) {
    this.settings = limits.session();
    InstantSource clock = () -> now;
    LocalNode self = new LocalNode("n1", 1);
    DeliverySettings delivery = DeliverySettings.DEFAULTS;
    DeliveryObserver deliveryObserver = countingDrops(undelivered);
    LiveDispatch dispatch = new LiveDispatch(delivery, deliveryObserver);
    LocalSubscriptions live =
        new LocalSubscriptions(self, router, dispatch, delivery, deliveryObserver);
    Distribution publisher =
        new Distribution(
            self,
            router,
            inboxes,
            retained,
            live,
            registry,
            dispatch,
            delivery,
            new NodeStreams(),
            () -> room,
            () -> serving,
            deliveryObserver);
    InboxRoutes routes = new InboxRoutes(router, delivery);
    WillService wills = new WillService(publisher, clock);
    InboxEvents events =
        new InboxEvents(self, registry, dispatch, delivery, new NodeStreams(), deliveryObserver);
    events.connect(inboxes, wills, routes, publisher);
    inboxes.listener(events);
    sessions =
        new Sessions(
            new SessionServices(
                new Tenants(limits, own, observer),
                () -> overloaded,
                clientEvents,
                observer,
                security,
                registry,
                publisher,
                live,
                inboxes,
                routes,
                retained,
                () -> room,
                clock,
                self,
                () -> serving ? null : "the lease has run out"));
    pipeline =
        new MqttPipeline(
            channel -> Peer.plain("tcpListener", channel.remoteAddress()),
            TransportStack.plain(),
            sessions,
            1_000);
  }

  /** Knows nothing of the world: threads keep their outboxes, which keep their observer. */
  private static DeliveryObserver countingDrops(Map<String, Long> undelivered) {
    return new DeliveryObserver() {
      @Override
      public void dropped(String reason, long copies) {
        undelivered.merge(reason, copies, Long::sum);
      }
    };
  }

  /** A connection without a CONNECT. */
  TestClient open() {
    TestClient client = new TestClient(this::settle, buffers, pipeline);
    clients.add(client);
    return client;
  }

  /** From now on the router has a thread of its own, so that it can lag behind the inboxes. */
  StoreTasks separateRouting() {
    routing = new StoreTasks();
    router.runOn(routing);
    return routing;
  }

  /** Lets the wall clock go on. */
  void pass(long seconds) {
    now = now.plusSeconds(seconds);
  }

  /**
   * A client of MQTT 5 that has been let in.
   *
   * @param seconds its keep alive; 0 for none
   */
  TestClient keepingAlive(int seconds) {
    TestClient client =
        open()
            .connect(
                to ->
                    to.protocolVersion(MqttVersion.MQTT_5)
                        .clientId("k")
                        .cleanSession(true)
                        .keepAlive(seconds));
    client.expect("CONNACK 0");
    return client;
  }

  /** Runs everything until nothing is left to do. */
  void settle() {
    boolean any = true;
    while (any) {
      any = tasks.run() | routing.run();
      for (TestClient client : clients) {
        any |= client.runTasks();
      }
    }
  }

  @Override
  public void close() {
    tasks.resume();
    routing.resume();
    clients.forEach(TestClient::cut);
    settle();
    clients.forEach(TestClient::dispose);
    observer.assertNothingLeft();
  }
}
