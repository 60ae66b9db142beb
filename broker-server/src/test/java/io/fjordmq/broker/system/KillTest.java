package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: acknowledged messages survive {@code kill -9}, in order, QoS 2 exactly once.
 *
 * <p>Publishers and subscribers with persistent sessions keep reconnecting while the broker is
 * killed under load and started again, several times at random moments. The moments come from a
 * seed that a failure prints; repeat with {@code -Dfjordmq.kill.seed=N -Dfjordmq.kill.rounds=N}.
 */
@Tag("slow")
class KillTest {
  private static final int ROUNDS = Integer.getInteger("fjordmq.kill.rounds", 5);
  private static final long SEED = Long.getLong("fjordmq.kill.seed", System.nanoTime());
  private static final int DRAIN_SECONDS = 60;

  @TempDir Path directory;

  @Test
  void shouldLoseNoAcknowledgedMessageWhenKilledUnderLoad() {
    Random random = new Random(SEED);
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory)) {
      SharedBroker.Port port = new SharedBroker.Port(broker.port());
      createOfflineSession(port);
      try (CrashSubscriber online = new CrashSubscriber(port, "online");
          CrashPublisher qos1 = new CrashPublisher(port, "q1", MqttQos.AT_LEAST_ONCE);
          CrashPublisher qos2 = new CrashPublisher(port, "q2", MqttQos.EXACTLY_ONCE);
          CrashPublisher retained = CrashPublisher.retaining(port, "r")) {
        online.subscribe("crash/#");
        List<CrashPublisher> publishers = List.of(qos1, qos2, retained);
        publishers.forEach(CrashPublisher::start);
        for (int round = 0; round < ROUNDS; round++) {
          long before = qos1.acknowledgedCount() + qos2.acknowledgedCount();
          Await.until(
              "progress in round " + round + ", seed " + SEED,
              30,
              () -> qos1.acknowledgedCount() + qos2.acknowledgedCount() > before + 50);
          pause(random.nextInt(400));
          broker.kill();
          broker.restart();
        }
        publishers.forEach(CrashPublisher::finish);
        for (CrashPublisher publisher : publishers) {
          assertThat(publisher.refused()).as(publisher.topic() + ", seed " + SEED).isEmpty();
        }
        verify(port, online, qos1, qos2, retained);
      }
    }
  }

  private static void verify(
      SharedBroker.Port port,
      CrashSubscriber online,
      CrashPublisher qos1,
      CrashPublisher qos2,
      CrashPublisher retained) {
    try (CrashSubscriber away = new CrashSubscriber(port, "away")) {
      for (CrashSubscriber subscriber : List.of(online, away)) {
        for (CrashPublisher publisher : List.of(qos1, qos2)) {
          String who = subscriber.name() + " from " + publisher.topic() + ", seed " + SEED;
          Await.until(
              "everything for " + who,
              DRAIN_SECONDS,
              () -> subscriber.distinct(publisher.topic()).containsAll(publisher.acknowledged()));
          assertThat(subscriber.distinct(publisher.topic())).as("in order: " + who).isSorted();
        }
        assertThat(subscriber.received(qos2.topic()))
            .as("exactly once: " + subscriber.name() + ", seed " + SEED)
            .isEqualTo(qos2.acknowledged());
      }
    }
    assertRetained(port, retained);
  }

  private static void assertRetained(SharedBroker.Port port, CrashPublisher retained) {
    List<Integer> acknowledged = retained.acknowledged();
    try (Mqtt5Session late = new Mqtt5Session(port, "late")) {
      late.connect();
      late.subscribe(retained.topic(), MqttQos.AT_LEAST_ONCE);
      assertThat(Integer.parseInt(late.nextText()))
          .as("retained message, seed " + SEED)
          .isGreaterThanOrEqualTo(acknowledged.get(acknowledged.size() - 1));
    }
  }

  /**
   * A session that subscribes, disconnects before anything is published, and resumes at the end.
   */
  private static void createOfflineSession(SharedBroker.Port port) {
    try (CrashSubscriber away = new CrashSubscriber(port, "away")) {
      away.subscribe("crash/#");
    }
  }

  private static void pause(int millis) {
    long moment = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Await.until("the moment to kill", 5, () -> System.nanoTime() >= moment);
  }
}
