package io.fjordmq.broker.dispatch;

import static io.fjordmq.api.Qos.AT_LEAST_ONCE;
import static io.fjordmq.api.Qos.AT_MOST_ONCE;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Message;
import io.fjordmq.api.MessageProperties;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.delivery.CountingObserver;
import io.fjordmq.broker.delivery.DeliveryAssembly;
import io.fjordmq.broker.delivery.DeliveryDependencies;
import io.fjordmq.broker.delivery.DeliveryFixture;
import io.fjordmq.broker.delivery.Distribution;
import io.fjordmq.broker.delivery.FakeInboxStore;
import io.fjordmq.broker.delivery.FakeSession;
import io.fjordmq.broker.events.ClientHistory;
import io.fjordmq.broker.testing.MemoryRetainStore;
import io.fjordmq.broker.testing.MemoryRouteStore;
import io.fjordmq.broker.testing.StoreTasks;
import io.fjordmq.broker.testing.TestRetainedBarrier;
import io.fjordmq.broker.topicmetrics.TopicTraffic;
import io.fjordmq.broker.trace.Tracer;
import io.fjordmq.inbox.ConnectOrder;
import io.fjordmq.inbox.InboxEntry;
import io.fjordmq.inbox.InboxHandle;
import io.fjordmq.testing.Await;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: with real threads, every message of a publisher reaches every subscriber once and in order,
 * and routes follow subscriptions. Method: a session per event loop and publishers on every loop;
 * then sessions that subscribe and unsubscribe on all loops concurrently.
 */
class LiveDeliveryConcurrencyTest {
  private static final int LOOPS = 4;

  private final CountingObserver observer = new CountingObserver();
  private final MemoryRouteStore router = new MemoryRouteStore(StoreTasks.immediate());
  private final DeliveryAssembly delivery =
      DeliveryAssembly.open(
          new DeliveryDependencies(
              DeliveryFixture.SELF,
              DeliverySettings.DEFAULTS,
              observer,
              ClientHistory.NONE,
              Tracer.off(),
              router,
              new FakeInboxStore(),
              new MemoryRetainStore(StoreTasks.immediate()),
              TestRetainedBarrier.create(),
              () -> true,
              () -> true,
              InstantSource.system(),
              new TopicTraffic(),
              null));
  private final LocalSubscriptions local = delivery.live();
  private final Distribution distribution = delivery.distribution();
  private final List<ThreadedLoop> loops = new ArrayList<>();

  LiveDeliveryConcurrencyTest() {
    for (int i = 0; i < LOOPS; i++) {
      loops.add(new ThreadedLoop("loop-" + i));
    }
  }

  @AfterEach
  void stop() {
    loops.forEach(loop -> loop.executor.shutdownNow());
  }

  @Test
  void shouldKeepTheOrderOfEachPublisherWhenAllLoopsPublish() throws Exception {
    int messages = 5_000;
    CountDownLatch all = new CountDownLatch(LOOPS * LOOPS * messages);
    List<OrderCheckingSession> sessions = new ArrayList<>();
    for (ThreadedLoop loop : loops) {
      OrderCheckingSession session = new OrderCheckingSession("s-" + loop.name, loop, all);
      sessions.add(session);
      local.subscribe(session, TopicFilter.parse("t/#"), SubscriptionOptions.ofQos(AT_LEAST_ONCE));
    }
    for (ThreadedLoop loop : loops) {
      loop.execute(() -> publishFrom(loop, 0, messages));
    }

    assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
    for (OrderCheckingSession session : sessions) {
      assertThat(session.faults).isEmpty();
      assertThat(session.nextNumbers)
          .hasSize(LOOPS)
          .allSatisfy((p, n) -> assertThat(n).isEqualTo(messages));
    }
    assertThat(observer.drops()).isEmpty();
  }

  @Test
  void shouldHaveExactlyTheNeededRoutesAfterConcurrentSubscribes() throws Exception {
    ExecutorService routerThread = Executors.newFixedThreadPool(2);
    router.runOn(routerThread);
    List<Future<?>> running = new ArrayList<>();
    for (ThreadedLoop loop : loops) {
      running.add(loop.executor.submit(() -> subscribeAndUnsubscribe(loop, 400)));
    }
    for (Future<?> each : running) {
      each.get(30, TimeUnit.SECONDS);
    }
    Await.until("both routes are held", () -> distribution.status().heldRoutes() == 2);
    assertThat(router.faults()).isEmpty();
    assertThat(router.filters()).containsExactlyInAnyOrder("kept/a", "kept/b");
    assertThat(distribution.status().filters()).isEqualTo(2);
    assertThat(distribution.status().failedRouteRemovals()).isZero();
    routerThread.shutdown();
    assertThat(routerThread.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
  }

  /** Subscribes and unsubscribes at random, and finally subscribes to two filters. */
  private void subscribeAndUnsubscribe(ThreadedLoop loop, int rounds) {
    CountDownLatch nothing = new CountDownLatch(0);
    List<String> filters = List.of("kept/a", "kept/b", "x", "y/+", "#");
    OrderCheckingSession session = new OrderCheckingSession("c-" + loop.name, loop, nothing);
    for (int i = 0; i < rounds; i++) {
      TopicFilter filter =
          TopicFilter.parse(filters.get(ThreadLocalRandom.current().nextInt(filters.size())));
      switch (ThreadLocalRandom.current().nextInt(5)) {
        case 0, 1 ->
            local.subscribe(session, filter, SubscriptionOptions.ofQos(AT_MOST_ONCE)).join();
        case 2 -> local.subscribe(session, filter, SubscriptionOptions.ofQos(AT_MOST_ONCE));
        case 3 -> local.unsubscribe(session, filter).join();
        default -> {
          local.removeAll(session);
          session = new OrderCheckingSession("c-" + loop.name, loop, nothing);
        }
      }
    }
    local.removeAll(session);
    session = new OrderCheckingSession("c-" + loop.name, loop, nothing);
    for (String kept : List.of("kept/a", "kept/b")) {
      local
          .subscribe(session, TopicFilter.parse(kept), SubscriptionOptions.ofQos(AT_MOST_ONCE))
          .join();
      assertThat(router.filters()).contains(kept);
    }
  }

  /** Publishes in batches of up to ten, so that other tasks of the loop run in between. */
  private void publishFrom(ThreadedLoop loop, int from, int messages) {
    int end = Math.min(messages, from + 10);
    for (int i = from; i < end; i++) {
      distribution.publish(
          FakeSession.TENANT,
          numberedMessage(loop.name, i),
          ConnectOrder.NONE,
          null,
          outcome -> {});
    }
    distribution.flush();
    if (end < messages) {
      loop.execute(() -> publishFrom(loop, end, messages));
    }
  }

  private static Message numberedMessage(String publisher, int number) {
    return new Message(
        new Topic("t/" + publisher),
        new byte[8],
        number % 2 == 0 ? AT_MOST_ONCE : AT_LEAST_ONCE,
        false,
        MessageProperties.NONE,
        publisher,
        number,
        Message.NEVER);
  }

  private static final class ThreadedLoop implements Executor {
    final String name;
    final ExecutorService executor;
    private volatile Thread loopThread = Thread.currentThread();

    ThreadedLoop(String name) {
      this.name = name;
      this.executor =
          Executors.newSingleThreadExecutor(
              task -> {
                loopThread = new Thread(task, name);
                return loopThread;
              });
      executor.execute(() -> {});
    }

    @Override
    public void execute(Runnable task) {
      executor.execute(task);
    }
  }

  /** Checks that the messages of each publisher arrive in sequence. */
  private static final class OrderCheckingSession implements LiveSession {
    private final String clientId;
    private final ThreadedLoop loop;
    private final CountDownLatch expectedDeliveries;
    final Map<String, Long> nextNumbers = new ConcurrentHashMap<>();
    final List<String> faults = new ArrayList<>();

    OrderCheckingSession(String clientId, ThreadedLoop loop, CountDownLatch all) {
      this.clientId = clientId;
      this.loop = loop;
      this.expectedDeliveries = all;
    }

    @Override
    public String tenant() {
      return FakeSession.TENANT;
    }

    @Override
    public String clientId() {
      return clientId;
    }

    @Override
    public boolean isPersistent() {
      return false;
    }

    @Override
    public Executor eventLoop() {
      return loop;
    }

    @Override
    public boolean inEventLoop() {
      return Thread.currentThread() == loop.loopThread;
    }

    @Override
    public DeliveryResult deliver(Delivery delivery) {
      Message message = delivery.message();
      long expected = nextNumbers.getOrDefault(message.publisher(), 0L);
      if (!inEventLoop() || message.acceptedAtMillis() != expected) {
        faults.add("expected " + expected + " but was " + message);
      }
      nextNumbers.put(message.publisher(), message.acceptedAtMillis() + 1);
      expectedDeliveries.countDown();
      return DeliveryResult.ACCEPTED;
    }

    @Override
    public void flush() {}

    @Override
    public void onAppended(InboxHandle handle, List<InboxEntry> entries) {}

    @Override
    public CompletableFuture<?> refetch() {
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onFenced(InboxHandle handle) {}

    @Override
    public void onTakenOver() {}
  }
}
