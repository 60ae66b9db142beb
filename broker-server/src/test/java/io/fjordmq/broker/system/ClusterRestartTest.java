package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Nodes that stop or crash, and restart. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterRestartTest {
  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, 3, "");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  void shouldRecoverAllDataWhenAllNodesAreKilled() {
    storeMessages(cluster.node(2));
    cluster.nodes().forEach(BrokerUnderTest::kill);
    for (int number : List.of(3, 1, 2)) { // in any order
      cluster.node(number).relaunch();
    }
    cluster.nodes().forEach(BrokerUnderTest::awaitListening);
    assertMessagesReceived(cluster.node(3));
  }

  @Test
  void shouldKeepServingWhenOneNodeIsKilledAndReadmitIt() {
    storeMessages(cluster.node(1));
    cluster.node(1).kill();
    assertMessagesReceived(cluster.node(2));
    storeMessages(cluster.node(3));
    cluster.node(1).restart();
    assertMessagesReceived(cluster.node(1));
  }

  private static void storeMessages(BrokerUnderTest node) {
    try (Mqtt5Session away = connectWithRetries(node, "away")) {
      away.subscribe("kept/#", MqttQos.EXACTLY_ONCE);
      away.disconnect();
    }
    try (Mqtt5Session publisher = connectWithRetries(node, "publisher")) {
      for (int number = 0; number < 50; number++) {
        publisher.publish(
            "kept/" + number,
            number % 2 == 0 ? MqttQos.AT_LEAST_ONCE : MqttQos.EXACTLY_ONCE,
            Integer.toString(number));
      }
    }
  }

  private static void assertMessagesReceived(BrokerUnderTest node) {
    try (Mqtt5Session away = connectWithRetries(node, "away")) {
      for (int number = 0; number < 50; number++) {
        assertThat(away.nextText()).isEqualTo(Integer.toString(number));
      }
      assertThat(away.poll(200)).isNull();
      away.disconnect();
    }
  }

  /** A client that goes on trying while leaders are elected. */
  private static Mqtt5Session connectWithRetries(BrokerUnderTest node, String name) {
    long deadline = System.nanoTime() + 90_000_000_000L;
    while (true) {
      Mqtt5Session session = new Mqtt5Session(node.mqtt(), name);
      try {
        session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(3_600));
        return session;
      } catch (AssertionError refused) {
        if (System.nanoTime() > deadline) {
          throw refused;
        }
        Await.pause();
      }
    }
  }
}
