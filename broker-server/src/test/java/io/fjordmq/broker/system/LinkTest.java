package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.fjordmq.broker.system.SharedBroker.Port;
import io.fjordmq.testing.Await;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The delivery guarantees on a bad network: connections cut at any moment, one client connecting
 * from several places, and publishing right after a SUBACK. The moments come from a seed that a
 * failure prints.
 */
@Tag("slow")
@ExtendWith(SharedBroker.class)
class LinkTest {
  private static final long SEED = Long.getLong("fjordmq.link.seed", System.nanoTime());
  private static final int CUTS = Integer.getInteger("fjordmq.link.cuts", 150);
  private static final int DRAIN_SECONDS = 90;

  private final Port port;
  private final Random random = new Random(SEED);

  LinkTest(Port port) {
    this.port = port;
  }

  /**
   * Cuts off the publisher of one pair and the subscriber of another. Both pairs run at the same
   * time because they mostly wait.
   */
  @ParameterizedTest
  @EnumSource(
      value = MqttQos.class,
      names = {"AT_LEAST_ONCE", "EXACTLY_ONCE"})
  void shouldKeepDeliveryGuaranteesWhenAClientIsCutOff(MqttQos qos) {
    CompletableFuture<Void> otherPair =
        CompletableFuture.runAsync(() -> cutOffThePublisher(qos), task -> new Thread(task).start());
    try {
      cutOffTheSubscriber(qos);
    } finally {
      otherPair.join();
    }
  }

  private void cutOffThePublisher(MqttQos qos) {
    try (Link link = new Link(port);
        CrashSubscriber subscriber = new CrashSubscriber(port, "straight-" + qos);
        CrashPublisher publisher = new CrashPublisher(link.port(), "cut-pub-" + qos, qos)) {
      subscriber.subscribe(publisher.topic());
      publishWhileCutting(link, publisher);
      assertDeliveryGuarantees(subscriber, publisher, qos);
    }
  }

  private void cutOffTheSubscriber(MqttQos qos) {
    try (Link link = new Link(port);
        CrashSubscriber subscriber = new CrashSubscriber(link.port(), "cut-" + qos);
        CrashPublisher publisher = new CrashPublisher(port, "straight-pub-" + qos, qos)) {
      subscriber.subscribe(publisher.topic());
      publishWhileCutting(link, publisher);
      assertDeliveryGuarantees(subscriber, publisher, qos);
    }
  }

  private void publishWhileCutting(Link link, CrashPublisher publisher) {
    publisher.start();
    for (int cut = 0; cut < CUTS; cut++) {
      int before = publisher.acknowledgedCount();
      Await.until(
          "progress before cut " + cut + ", seed " + SEED,
          DRAIN_SECONDS,
          () -> publisher.acknowledgedCount() > before);
      LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(30_000)));
      link.cut();
    }
    publisher.finish();
    assertThat(publisher.refused()).as("seed " + SEED).isEmpty();
  }

  private static void assertDeliveryGuarantees(
      CrashSubscriber subscriber, CrashPublisher publisher, MqttQos qos) {
    String topic = publisher.topic();
    Await.until(
        "everything acknowledged, seed " + SEED,
        DRAIN_SECONDS,
        () -> subscriber.distinct(topic).containsAll(publisher.acknowledged()));
    assertThat(subscriber.distinct(topic)).as("in order, seed " + SEED).isSorted();
    if (qos == MqttQos.EXACTLY_ONCE) {
      assertThat(subscriber.received(topic))
          .as("exactly once, seed " + SEED)
          .isEqualTo(publisher.acknowledged());
    }
  }

  @Test
  void shouldLoseNoMessageDuringRepeatedTakeovers() throws InterruptedException {
    String topic = "storm/" + SEED;
    List<String> received = new CopyOnWriteArrayList<>();
    createStormSession(topic);
    AtomicBoolean storm = new AtomicBoolean(true);
    List<Throwable> failures = new CopyOnWriteArrayList<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      Thread thread = new Thread(() -> reconnectRepeatedly(storm, received), "storm-" + i);
      thread.setUncaughtExceptionHandler((t, failure) -> failures.add(failure));
      threads.add(thread);
      thread.start();
    }
    int messages = 500;
    try (Mqtt5Session publisher = new Mqtt5Session(port, "storm-publisher")) {
      publisher.connect();
      for (int i = 0; i < messages; i++) {
        publisher.publish(topic, MqttQos.AT_LEAST_ONCE, String.valueOf(i));
      }
    }
    storm.set(false);
    for (Thread thread : threads) {
      thread.join(TimeUnit.SECONDS.toMillis(DRAIN_SECONDS));
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(failures).as("seed " + SEED).isEmpty();
    try (Mqtt5Session last = reconnectStormSession()) {
      resume(last);
      List<String> all = new ArrayList<>(received);
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < messages; i++) {
        sent.add(String.valueOf(i));
      }
      while (!new HashSet<>(all).containsAll(sent)) {
        all.add(last.nextText());
      }
      while (last.poll(1_500) != null) {
        // Duplicates.
      }
      // One session is left, and it works.
      last.publish(topic, MqttQos.AT_LEAST_ONCE, "after the storm");
      assertThat(last.nextText()).isEqualTo("after the storm");
      assertThat(last.poll(500)).isNull();
    }
  }

  private Mqtt5Session reconnectStormSession() {
    return new Mqtt5Session(port, "storm");
  }

  private void createStormSession(String topic) {
    try (Mqtt5Session first = reconnectStormSession()) {
      resume(first);
      first.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      first.disconnect();
    }
  }

  private static void resume(Mqtt5Session session) {
    session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(3_600));
  }

  /** Connects with the same client identifier until stopped; takeovers are expected. */
  private void reconnectRepeatedly(AtomicBoolean storm, List<String> received) {
    while (storm.get()) {
      Mqtt5Session session = reconnectStormSession();
      try {
        resume(session);
        receiveAll(session, 20, received);
      } catch (AssertionError takenOverBeforeConnack) {
        // The next one is about to connect.
      } finally {
        session.disconnectIfConnected();
        receiveAll(session, 0, received); // it has been acknowledged
      }
    }
  }

  private static void receiveAll(Mqtt5Session session, long patienceMillis, List<String> into) {
    Mqtt5Publish next = session.poll(patienceMillis);
    while (next != null) {
      into.add(Mqtt5Session.text(next));
      next = session.poll(patienceMillis);
    }
  }

  @Test
  void shouldDeliverMessagesPublishedRightAfterTheSuback() {
    try (RawClient subscriber = RawClient.openConnected(port, 4, "counts-s-" + SEED, 0);
        RawClient publisher = RawClient.openConnected(port, 4, "counts-p-" + SEED, 0)) {
      for (int i = 0; i < 2_000; i++) {
        String topic = "%08x".formatted(i); // as text: eight characters
        String hex =
            java.util.HexFormat.of()
                .formatHex(topic.getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        String id = "%04x".formatted(i + 1);
        assertThat(subscriber.send("820d" + id + "0008" + hex + "01").next())
            .isEqualTo("9003" + id + "01");
        assertThat(publisher.send("320c 0008" + hex + id).next()).isEqualTo("4002" + id);
        String got = subscriber.next();
        assertThat(got).as("message " + i).startsWith("320c0008" + hex);
        subscriber.send("4002" + got.substring(got.length() - 4));
        assertThat(subscriber.send("a20c" + id + "0008" + hex).next()).isEqualTo("b002" + id);
      }
    }
  }
}
