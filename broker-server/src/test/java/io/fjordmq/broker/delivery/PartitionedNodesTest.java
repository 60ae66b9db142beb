package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: a publisher does not wait forever when its node and a subscriber's node cannot reach each
 * other although both are alive, and no message is lost or duplicated. Method: nodes 0 and 1 are
 * partitioned for longer than the publish timeout; their incarnations continue.
 */
class PartitionedNodesTest {
  private static final Duration TIMEOUT = NodesSettings.DEFAULTS.publishTimeout();
  private static final int EXPIRY_SECONDS = 1_000;

  private final TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  private TestClient connectSubscriber(int node, String filter, int qos) {
    TestClient client = cluster.node(node).connect("s" + node).subscribe(1, filter, qos);
    client.readAll();
    return client;
  }

  private static List<String> payloads(TestClient client) {
    return client.readAll().stream()
        .filter(packet -> packet.startsWith("PUBLISH"))
        .map(packet -> packet.substring(packet.lastIndexOf(' ') + 1))
        .toList();
  }

  /** The publisher resumes its session and repeats the unacknowledged message. */
  private TestClient repeat(int node, String payload) {
    TestClient again = cluster.node(node).open().connect5("p", false, EXPIRY_SECONDS);
    again.readAll();
    return again.publish(1, 2, "a", payload, false, true, MqttProperties.NO_PROPERTIES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "$share/g/a"})
  void shouldDisconnectAPublisherWhoseMessageIsNotAcknowledgedInTime(String filter) {
    TestClient subscriber = connectSubscriber(1, filter, 1);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    publisher.publish(1, 1, "a", "m");
    cluster.advanceTime(TIMEOUT.minusMillis(100));
    publisher.expect();
    assertThat(publisher.isOpen()).isTrue();
    cluster.advanceTime(Duration.ofMillis(100));
    assertThat(publisher.readAll()).noneMatch(packet -> packet.startsWith("PUBACK"));
    assertThat(publisher.isOpen()).isFalse();
    cluster.heal();
    assertThat(payloads(subscriber)).as("without an acknowledgement").containsExactly("m");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "$share/g/a"})
  void shouldDeliverAMessageOnceWhenItIsRepeatedDuringThePartition(String filter) {
    TestClient subscriber = connectSubscriber(1, filter, 2);
    TestClient first = cluster.node(0).connectPersistent("p").publish(1, 2, "a", "m");
    cluster.cut(0, 1);
    first.readAll();
    TestClient second = cluster.node(0).connectPersistent("p");
    second.readAll();
    second.publish(2, 2, "a", "cut");
    cluster.advanceTime(TIMEOUT);
    assertThat(second.isOpen()).isFalse();
    TestClient third = cluster.node(0).open().connect5("p", false, EXPIRY_SECONDS);
    third.readAll();
    third.publish(2, 2, "a", "cut", false, true, MqttProperties.NO_PROPERTIES);
    third.expect();
    cluster.heal();
    third.expect("PUBREC 2");
    third.reply(MqttMessageType.PUBREL, 2).expect("PUBCOMP 2");
    assertThat(payloads(subscriber)).containsExactly("m", "cut");
  }

  @Test
  void shouldDeliverAMessageOnceWhenItIsRepeatedAtAConnectedNode() {
    TestClient subscriber = connectSubscriber(1, "a", 2);
    TestClient kept = cluster.node(2).connectPersistent("k").subscribe(1, "a", 2);
    kept.readAll();
    cluster.cut(0, 1);
    TestClient publisher = cluster.node(0).connectPersistent("p").publish(1, 2, "a", "m");
    cluster.advanceTime(TIMEOUT);
    assertThat(publisher.isOpen()).isFalse();
    TestClient again = repeat(2, "m");
    again.expect("PUBREC 1");
    again.reply(MqttMessageType.PUBREL, 1).expect("PUBCOMP 1");
    cluster.heal();
    assertThat(payloads(subscriber)).containsExactly("m");
    assertThat(payloads(kept)).containsExactly("m");
  }
}
