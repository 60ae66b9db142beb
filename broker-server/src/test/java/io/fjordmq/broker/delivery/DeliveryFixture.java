package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LiveDispatch;
import io.fjordmq.broker.dispatch.LocalNode;
import io.fjordmq.broker.dispatch.LocalSubscriptions;
import io.fjordmq.broker.dispatch.ShareStrategy;
import io.fjordmq.broker.events.ClientEventLog;
import io.fjordmq.broker.events.EventsSettings;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.broker.testing.MemoryRetainStore;
import io.fjordmq.broker.testing.MemoryRouteStore;
import io.fjordmq.broker.testing.StoreTasks;
import io.fjordmq.broker.testing.TestRetainedBarrier;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.testing.RecordBuilder;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The real delivery components on in-memory stores, with two manually run event loops. */
public final class DeliveryFixture {
  public static final LocalNode SELF = new LocalNode("n1", 7);

  /** Limits so small that tests reach them. */
  public static final DeliverySettings SMALL =
      RecordBuilder.from(DeliverySettings.DEFAULTS)
          .with(DeliverySettings::maxCachedTopics, 16)
          .with(DeliverySettings::maxCachedFanOut, 8)
          .with(DeliverySettings::outboxDeliveries, 4)
          .with(DeliverySettings::mailboxBatchSize, 10)
          .with(DeliverySettings::mailboxHighWater, 20)
          .with(DeliverySettings::mailboxCapacity, 40)
          .with(DeliverySettings::mailboxHighWaterBytes, 10_000)
          .with(DeliverySettings::mailboxCapacityBytes, 20_000)
          .with(DeliverySettings::routeRemovalsInFlight, 2)
          .with(DeliverySettings::pushedEntriesPerInbox, 4)
          .with(DeliverySettings::pushedBytesPerInbox, 1_000)
          .with(DeliverySettings::maxRepeatingPublishers, 2)
          .with(DeliverySettings::maxRepeatableMessages, 5)
          .with(DeliverySettings::maxShares, 16)
          .with(DeliverySettings::shareStrategy, ShareStrategy.ROUND_ROBIN)
          .build();

  /** Wall-clock time in milliseconds. */
  static final long NOW = 50_000;

  public final CountingObserver observer = new CountingObserver();
  final ClientEventLog history =
      new ClientEventLog(EventsSettings.DEFAULTS, InstantSource.fixed(Instant.ofEpochMilli(NOW)));
  public final MemoryRouteStore router = new MemoryRouteStore(StoreTasks.immediate());
  final FakeInboxStore inboxes = new FakeInboxStore();
  final StoreTasks retainTasks = StoreTasks.immediate();
  final MemoryRetainStore retained = new MemoryRetainStore(retainTasks);
  public final ManualLoop loop = new ManualLoop();
  public final ManualLoop otherLoop = new ManualLoop();
  final DeliveryAssembly delivery;
  final SessionRegistry registry;
  final NodeStreams streams;
  public final LiveDispatch dispatch;
  public final LocalSubscriptions local;
  public final Distribution distribution;
  public final List<PublishOutcome> outcomes = new ArrayList<>();

  /** Whether the disk has free space. */
  boolean hasDiskSpace = true;

  /** Whether the node's lease is valid. */
  boolean serving = true;

  public DeliveryFixture() {
    this(SMALL);
  }

  DeliveryFixture(DeliverySettings settings) {
    delivery =
        DeliveryAssembly.open(
            new DeliveryDependencies(
                SELF,
                settings,
                observer,
                history,
                Tracer.off(),
                router,
                inboxes,
                retained,
                TestRetainedBarrier.create(),
                () -> hasDiskSpace,
                () -> serving,
                InstantSource.fixed(Instant.ofEpochMilli(NOW)),
                new TopicTraffic(),
                null));
    dispatch = delivery.dispatch();
    registry = delivery.registry();
    streams = delivery.streams();
    local = delivery.live();
    distribution = delivery.distribution();
  }

  public FakeSession connect(String clientId, ManualLoop eventLoop) {
    return connect(new FakeSession(clientId, eventLoop, false));
  }

  public FakeSession connectPersistent(String clientId, ManualLoop eventLoop) {
    return connect(new FakeSession(clientId, eventLoop, true));
  }

  FakeSession connect(FakeSession session) {
    registry.register(session);
    return session;
  }

  boolean subscribe(FakeSession session, String filter, SubscriptionOptions options) {
    return local.subscribe(session, TopicFilter.parse(filter), options).join();
  }

  public boolean subscribe(FakeSession session, String filter, Qos qos) {
    return subscribe(session, filter, SubscriptionOptions.ofQos(qos));
  }

  /** Adds the route of a subscription of a persistent session, connected or not. */
  void addInboxRoute(String clientId, String filter, SubscriptionOptions options) {
    router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(filter),
            new Receiver.Inbox(clientId, 1),
            options));
  }

  public void addInboxRoute(String clientId, String filter, Qos qos) {
    addInboxRoute(clientId, filter, SubscriptionOptions.ofQos(qos));
  }

  /** Publishes on the first event loop, as the only message of a read. */
  public void publish(Message message) {
    publish(message, null);
  }

  void publish(Message message, @Nullable PublishId id) {
    loop.run(
        () -> {
          distribution.publish(FakeSession.TENANT, message, ConnectOrder.NONE, id, outcomes::add);
          distribution.flush();
        });
  }

  /** Publishes and runs both event loops until they are idle. */
  public void publishAndRun(Message message) {
    publish(message);
    otherLoop.runAll();
    loop.runAll();
  }

  PublishOutcome lastOutcome() {
    return outcomes.get(outcomes.size() - 1);
  }
}
