package io.fjordmq.broker.testing;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.broker.bans.TestBanList;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.delivery.DeliveryObserver;
import io.fjordmq.broker.delivery.SessionRegistry;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.Overload;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.net.PlainPipeline;
import io.fjordmq.broker.security.Security;
import io.fjordmq.broker.session.ClientEvents;
import io.fjordmq.broker.session.ConnectedClients;
import io.fjordmq.broker.session.SessionServices;
import io.fjordmq.broker.session.Sessions;
import io.fjordmq.broker.session.TenantLimits;
import io.fjordmq.broker.session.Tenants;
import io.fjordmq.broker.slow.SlowSubscriptionSettings;
import io.fjordmq.broker.slow.SlowSubscriptions;
import io.fjordmq.broker.telemetry.MessageSpan;
import io.fjordmq.broker.telemetry.MessageTracer;
import io.fjordmq.broker.telemetry.PublishSpan;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.InboxLimits;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The real pipeline, sessions and delivery on in-memory stores. Nothing runs by itself: {@link
 * #settle} runs the stores and the event loops until all are idle.
 */
public final class World implements AutoCloseable {
  public final StoreTasks tasks = new StoreTasks();
  public final MemoryRouteStore router = new MemoryRouteStore(tasks);
  public final MemoryInboxStore inboxes = new MemoryInboxStore(tasks);
  public final MemoryRetainStore retained = new MemoryRetainStore(tasks);
  public final CountingSessionObserver observer = new CountingSessionObserver();

  /** Copies dropped before they reached a session, by reason. */
  public final Map<String, Long> undelivered = new ConcurrentHashMap<>();

  /** What happened to the clients. */
  public final ClientEventLog history;

  /** The slow subscriptions of the clients. */
  public final SlowSubscriptions slow = new SlowSubscriptions(SlowSubscriptionSettings.DEFAULTS);

  /** Counts messages of topics. */
  public final TopicTraffic topicTraffic = new TopicTraffic();

  public final SessionRegistry registry;
  public final SessionSettings settings;
  public boolean overloaded;

  /** File descriptors left for listener connections. */
  public final AtomicInteger freeDescriptors = new AtomicInteger(Integer.MAX_VALUE);

  public final Tenants tenants;
  public final Sessions sessions;
  public ByteBufAllocator buffers = ByteBufAllocator.DEFAULT;
  private final List<TestClient> clients = new ArrayList<>();
  private final ChannelHandler pipeline;
  private StoreTasks routing = tasks;

  /** Whether the disk has enough free space. */
  public boolean hasDiskSpace = true;

  /** Begins the spans of traced messages; null for none. */
  public @Nullable MessageTracer tracer;

  /** Whether the node's lease holds. */
  public boolean serving = true;

  private Instant now = Instant.parse("2026-01-01T00:00:00Z");

  /** The banned clients. */
  public final TestBanList bans = new TestBanList(() -> now);

  public World() {
    this(SessionSettings.defaults());
  }

  public World(SessionSettings settings) {
    this(settings, Security.allowAll("t"));
  }

  public World(SessionSettings settings, Security security) {
    this(settings, security, ClientEvents.NONE);
  }

  public World(SessionSettings settings, Security security, ClientEvents events) {
    this(
        new TenantLimits(settings, TenantSettings.DEFAULTS, InboxLimits.DEFAULT),
        Map.of(),
        security,
        events);
  }

  public World(TenantLimits limits, Map<String, TenantLimits> own, Security security) {
    this(limits, own, security, ClientEvents.NONE);
  }

  private World(
      TenantLimits limits,
      Map<String, TenantLimits> own,
      Security security,
      ClientEvents clientEvents) {
    this.settings = limits.session();
    InstantSource clock = () -> now;
    history = new ClientEventLog(EventsSettings.DEFAULTS, clock);
    LocalNode self = new LocalNode("n1", 1);
    DeliveryAssembly delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                self,
                DeliverySettings.DEFAULTS,
                countingDrops(undelivered),
                history,
                Tracer.off(),
                router,
                inboxes,
                retained,
                TestRetainedBarrier.create(),
                () -> hasDiskSpace,
                () -> serving,
                clock,
                topicTraffic,
                tracer()));
    registry = delivery.registry();
    inboxes.setListener(delivery.inboxEvents());
    tenants = new Tenants(limits, own, ConnectionLimits.NONE, clock, observer);
    history.findConnectsIn(new ConnectedClients(registry)::connectEvent, tenants::known);
    sessions =
        new Sessions(
            new SessionServices(
                tenants,
                clientEvents,
                history,
                Tracer.off(),
                observer,
                security,
                SessionServices.Delivery.of(delivery, tracer()),
                inboxes,
                retained,
                new SessionServices.NodeState(
                    self,
                    () -> serving ? null : "the lease has expired",
                    overload(),
                    () -> hasDiskSpace,
                    clock,
                    bans.list()),
                slow));
    pipeline = PlainPipeline.of("tcpListener", sessions);
  }

  /** Passes everything to the tracer that the test has set. */
  private MessageTracer tracer() {
    return new MessageTracer() {
      @Override
      public @Nullable PublishSpan beginPublish(
          Message message, String tenant, String clientId, Origin origin) {
        return tracer == null ? null : tracer.beginPublish(message, tenant, clientId, origin);
      }

      @Override
      public @Nullable MessageSpan beginDelivery(
          Message message, String tenant, String clientId, Qos qos) {
        return tracer == null ? null : tracer.beginDelivery(message, tenant, clientId, qos);
      }
    };
  }

  private Overload overload() {
    return new Overload() {
      @Override
      public boolean isOverloaded() {
        return overloaded;
      }

      @Override
      public boolean admitConnection() {
        return freeDescriptors.getAndUpdate(free -> Math.max(0, free - 1)) > 0;
      }

      @Override
      public void onConnectionClosed() {
        freeDescriptors.incrementAndGet();
      }
    };
  }

  /** Does not refer to the world: threads keep their outboxes, which keep their observer. */
  private static DeliveryObserver countingDrops(Map<String, Long> undelivered) {
    return new DeliveryObserver() {
      @Override
      public void onDropped(String reason, long copies) {
        undelivered.merge(reason, copies, Long::sum);
      }
    };
  }

  /** A connection without a CONNECT. */
  public TestClient open() {
    TestClient client = new TestClient(this::settle, buffers, pipeline);
    clients.add(client);
    return client;
  }

  /** Gives the router a task queue of its own, so that it can lag behind the inboxes. */
  public StoreTasks separateRouting() {
    routing = new StoreTasks();
    router.runOn(routing);
    return routing;
  }

  /** The wall clock, in epoch milliseconds. */
  public long nowMillis() {
    return now.toEpochMilli();
  }

  /** Advances the wall clock. */
  public void advanceClock(long seconds) {
    now = now.plusSeconds(seconds);
  }

  /**
   * An accepted MQTT 5 client.
   *
   * @param seconds its keep alive; 0 for none
   */
  public TestClient connectWithKeepAlive(int seconds) {
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
  public void settle() {
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
    clients.forEach(TestClient::close);
    settle();
    clients.forEach(TestClient::dispose);
    observer.assertNothingLeft();
  }
}
