package io.fjordmq.broker.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.api.Qos;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Authentication;
import io.fjordmq.api.plugin.Authenticator;
import io.fjordmq.api.plugin.ClientEventListener;
import io.fjordmq.api.plugin.ClientInfo;
import io.fjordmq.api.plugin.Identity;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.api.plugin.Permissions.Access;
import io.fjordmq.api.plugin.Permissions.Rule;
import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.testing.Await;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which events plugin listeners receive, and that clients never wait for a listener. */
@ExtendWith(LeakDetector.class)
class ClientEventListenerTest {
  private static final Permissions PERMISSIONS =
      new Permissions(
          List.of(
              Rule.deny(Access.WRITE, "in/secret"),
              Rule.allow(Access.WRITE, "in/#"),
              Rule.allow(Access.READ, "out/#")));

  /** Admits every client except strangers. */
  private static final Authenticator LIMITED =
      attempt ->
          attempt.clientId().equals("stranger")
              ? Authentication.deny("who?").now()
              : new Authentication.Allow(new Identity("t", "u", PERMISSIONS, Map.of())).now();

  /** Records events as text. */
  private static class Recorder implements ClientEventListener {
    private final BlockingQueue<String> recorded = new LinkedBlockingQueue<>();

    void record(String event) {
      recorded.add(event);
    }

    @Override
    public void onConnected(ClientInfo client) {
      record(client.clientId() + " of " + client.tenant() + " connected");
    }

    @Override
    public void onDisconnected(ClientInfo client, String reason) {
      record(client.clientId() + " disconnected: " + reason);
    }

    @Override
    public void onSubscribed(ClientInfo client, TopicFilter filter, Qos qos) {
      record(client.clientId() + " subscribed to " + filter + " with " + qos);
    }

    @Override
    public void onUnsubscribed(ClientInfo client, String filter) {
      record(client.clientId() + " unsubscribed from " + filter);
    }

    @Override
    public void onDenied(Denial denial) {
      record(denial.toString());
    }

    @Override
    public void onDropped(ClientInfo client, String reason, long count) {
      record(client.clientId() + " dropped " + count + ": " + reason);
    }

    /** Takes the given number of events, or fewer if no more arrive. */
    List<String> takeEvents(int count) throws InterruptedException {
      List<String> next = new ArrayList<>();
      String event = recorded.poll(20, TimeUnit.SECONDS);
      while (event != null) {
        next.add(event);
        event = next.size() < count ? recorded.poll(20, TimeUnit.SECONDS) : null;
      }
      return next;
    }

    void expect(String... events) throws InterruptedException {
      assertThat(takeEvents(events.length)).containsExactly(events);
    }
  }

  /** Blocks in each event until the test releases it. */
  private static final class BlockingRecorder extends Recorder {
    private final CountDownLatch released = new CountDownLatch(1);

    @Override
    void record(String event) {
      try {
        released.await();
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      super.record(event);
    }
  }

  /** Counts queued and dropped events. */
  private static final class CountingObserver implements SecurityObserver {
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger dropped = new AtomicInteger();

    @Override
    public void addQueuedEvents(int delta) {
      waiting.addAndGet(delta);
    }

    @Override
    public void onEventDropped() {
      dropped.incrementAndGet();
    }
  }

  private static World createWorld(Security security) {
    return new World(SessionSettings.defaults(), security);
  }

  private static TestClient connect(World world, String clientId) {
    TestClient client = world.open().connect5(clientId, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  private static String denial(String action, String by) {
    return new ClientEventListener.Denial("t", "c", "u", action, by).toString();
  }

  @Test
  void shouldReportTheEventsOfAClientInOrder() throws Exception {
    Recorder listener = new Recorder();
    try (Security security = TestSecurity.of(LIMITED, listener);
        World world = createWorld(security)) {
      TestClient client = connect(world, "c");
      client.subscribe(1, "out/a", 1).subscribe(2, "in/a", 1);
      client.sendHex("a20a 0002 00 0005 6f75742f61"); // UNSUBSCRIBE from out/a
      client.expect("SUBACK 1 [1]", "SUBACK 2 [135]", "UNSUBACK 2 [0]");
      client.publish(3, 1, "in/secret", "x").publish(0, 0, "else", "x").expect("PUBACK 3 87");
      client.publish(4, 1, "in/a", "x").expect("PUBACK 4 10");
      client.disconnect();
      listener.expect(
          "c of t connected",
          "c subscribed to out/a with AT_LEAST_ONCE",
          denial("subscribe to in/a", ""),
          "c unsubscribed from out/a",
          denial("publish to in/secret", "the client's permissions"), // also sent to the client
          denial("publish to else", ""),
          "c dropped 1: not_authorized",
          "c disconnected: client_disconnect");
    }
    assertThat(listener.recorded).isEmpty();
  }

  @Test
  void shouldReportWhyAConnectionEnded() throws Exception {
    Recorder listener = new Recorder();
    try (Security security = TestSecurity.of(LIMITED, listener);
        World world = createWorld(security)) {
      connect(world, "lost").cut();
      listener.expect("lost of t connected", "lost disconnected: connection_lost");
      connect(world, "bad").sendHex("0000");
      listener.expect("bad of t connected", "bad disconnected: malformed_packet");
      final TestClient first = connect(world, "twice");
      TestClient second = connect(world, "twice");
      first.expect("DISCONNECT 8e");
      second.disconnect();
      assertThat(listener.takeEvents(4))
          .containsExactlyInAnyOrder(
              "twice of t connected",
              "twice disconnected: session_taken_over",
              "twice of t connected",
              "twice disconnected: client_disconnect");
    }
    assertThat(listener.recorded).isEmpty();
  }

  @Test
  void shouldReportOnlyTheRefusalOfARefusedClient() throws Exception {
    Recorder listener = new Recorder();
    try (Security security = TestSecurity.of(LIMITED, listener);
        World world = createWorld(security)) {
      TestClient stranger = world.open().connect5("stranger", true, 0);
      stranger.expect("CONNACK 86");
      assertThat(stranger.isOpen()).isFalse();
      connect(world, "c");
      listener.expect(
          new ClientEventListener.Denial(null, "stranger", null, "connect", "the test").toString(),
          "c of t connected");
    }
  }

  @Test
  void shouldServeClientsAndDropExcessEventsWhileAListenerHangs() throws Exception {
    BlockingRecorder slow = new BlockingRecorder();
    Recorder other = new Recorder();
    CountingObserver counting = new CountingObserver();
    try (Security security =
            TestSecurity.of(
                TestSettings.with("maxWaitingEvents", 2), counting, LIMITED, slow, other);
        World world = createWorld(security)) {
      for (int i = 0; i < 10; i++) {
        TestClient client = connect(world, "c" + i);
        client.publish(1, 1, "in/a", "x").expect("PUBACK 1 10");
        other.expect("c" + i + " of t connected"); // has its own queue
      }
      // One event is in progress, two are queued, and the other seven are dropped.
      assertThat(counting.dropped).hasValue(7);
      Await.until(() -> "waiting: " + counting.waiting, () -> counting.waiting.get() == 2);
      slow.released.countDown();
      slow.expect("c0 of t connected", "c1 of t connected", "c2 of t connected");
      connect(world, "later");
      slow.expect("later of t connected");
      other.expect("later of t connected");
      assertThat(counting.waiting).hasValue(0);
      assertThat(counting.dropped).hasValue(7);
    }
  }

  /** Fails with the first event of the client {@code c}. */
  private static final class FailingRecorder extends Recorder {
    private final String failure;

    private FailingRecorder(String how) {
      this.failure = how;
    }

    @Override
    void record(String event) {
      if (event.equals("c of t connected")) {
        switch (failure) {
          case "exception" -> throw new IllegalStateException("planted by the test");
          case "missing class" -> throw new NoClassDefFoundError("planted by the test");
          default -> record(event); // until the stack is full
        }
      }
      super.record(event);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exception", "missing class", "endless recursion"})
  void shouldKeepNotifyingAListenerThatFails(String how) throws Exception {
    FailingRecorder failing = new FailingRecorder(how);
    Recorder other = new Recorder();
    CountingObserver counting = new CountingObserver();
    try (Security security =
            TestSecurity.of(TestSettings.with(), counting, LIMITED, failing, other);
        World world = createWorld(security)) {
      TestClient client = connect(world, "c");
      client.subscribe(1, "out/a", 0).expect("SUBACK 1 [0]");
      client.disconnect();
      failing.expect(
          "c subscribed to out/a with AT_MOST_ONCE", "c disconnected: client_disconnect");
      other.expect(
          "c of t connected",
          "c subscribed to out/a with AT_MOST_ONCE",
          "c disconnected: client_disconnect");
      assertThat(counting.dropped).hasValue(0);
      assertThat(counting.waiting).hasValue(0);
    }
  }
}
