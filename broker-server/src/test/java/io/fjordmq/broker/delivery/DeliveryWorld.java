package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.nodes.NodeStreams;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.PublishId;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything of delivery that is real, on stores that are fakes with behaviour and two event loops
 * that run when told.
 */
final class DeliveryWorld {
  static final LocalNode SELF = new LocalNode("n1", 7);

  /** Bounds so small that tests reach them. */
  static final DeliverySettings SMALL =
      new DeliverySettings(
          16, 8, 4, 10, 20, 40, 10_000, 20_000, 2, 4, 1_000, 2, 5, 16, ShareStrategy.ROUND_ROBIN);

  final CountingObserver observer = new CountingObserver();
  final FakeRouter router = new FakeRouter();
  final FakeInboxStore inboxes = new FakeInboxStore();
  final FakeRetainStore retained = new FakeRetainStore();
  final SessionRegistry registry = new SessionRegistry(new NodeStreams());
  final ManualLoop loop = new ManualLoop();
  final ManualLoop other = new ManualLoop();
  final NodeStreams nodes = new NodeStreams();
  final LiveDispatch dispatch;
  final LocalSubscriptions local;
  final Distribution publisher;
  final List<PublishOutcome> answers = new ArrayList<>();

  /** Whether the disk has room. */
  boolean room = true;

  /** Whether the node's lease holds. */
  boolean serving = true;

  DeliveryWorld() {
    this(SMALL);
  }

  DeliveryWorld(DeliverySettings settings) {
    dispatch = new LiveDispatch(settings, observer);
    local = new LocalSubscriptions(SELF, router, dispatch, settings, observer);
    publisher =
        new Distribution(
            SELF,
            router,
            inboxes,
            retained,
            local,
            registry,
            dispatch,
            settings,
            nodes,
            () -> room,
            () -> serving,
            observer);
  }

  FakeSession connect(String clientId, ManualLoop its) {
    return connect(new FakeSession(clientId, its, false));
  }

  FakeSession connectPersistent(String clientId, ManualLoop its) {
    return connect(new FakeSession(clientId, its, true));
  }

  FakeSession connect(FakeSession session) {
    registry.register(session);
    return session;
  }

  boolean subscribe(FakeSession session, String filter, SubscriptionOptions options) {
    return local.subscribe(session, TopicFilter.parse(filter), options).join();
  }

  boolean subscribe(FakeSession session, String filter, Qos qos) {
    return subscribe(session, filter, SubscriptionOptions.ofQos(qos));
  }

  /** A persistent session, connected or not, subscribes. */
  void inboxRoute(String clientId, String filter, SubscriptionOptions options) {
    router.add(
        new Route(
            FakeSession.TENANT,
            TopicFilter.parse(filter),
            new Receiver.Inbox(clientId, 1),
            options));
  }

  void inboxRoute(String clientId, String filter, Qos qos) {
    inboxRoute(clientId, filter, SubscriptionOptions.ofQos(qos));
  }

  /** Publishes on the first event loop, as one read with one message. */
  void publish(Message message) {
    publish(message, null);
  }

  void publish(Message message, @Nullable PublishId id) {
    loop.run(
        () -> {
          publisher.publish(FakeSession.TENANT, message, ConnectOrder.NONE, id, answers::add);
          publisher.flush();
        });
  }

  /** Publishes and lets everything be taken. */
  void publishAndRun(Message message) {
    publish(message);
    other.runAll();
    loop.runAll();
  }

  PublishOutcome lastAnswer() {
    return answers.get(answers.size() - 1);
  }
}
