package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.broker.testing.TestNode;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Goal: a client that subscribes while a retained message is being published receives the message,
 * live or as a retained message. Method: the store of retained messages responds to the publisher
 * only after the subscription has taken effect.
 */
class RetainedDuringSubscribeTest {
  private static final MqttProperties NONE = MqttProperties.NO_PROPERTIES;

  private final TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Publishes a retained message that is matched, but not stored until the test releases it. */
  private TestClient publishHeld(int node, int qos) {
    TestClient publisher = cluster.node(node).connect("p");
    cluster.retainedChanges.hold();
    publisher.publish(1, qos, "a/b", "x", true, false, NONE);
    cluster.settle();
    assertThat(cluster.retainedChanges.waiting()).isEqualTo(1);
    return publisher;
  }

  private void releaseStore() {
    cluster.retainedChanges.resume();
    cluster.settle();
  }

  private TestClient connect(int node, boolean persistent) {
    TestNode on = cluster.node(node);
    return persistent ? on.connectPersistent("s") : on.connect("s");
  }

  /**
   * @param publishedAt the node of the publisher; the subscriber is connected to node 1
   * @param persistent whether the subscriber has a persistent session
   * @param routed whether another client of the subscriber's node has the same subscription, so
   *     that the subscription adds no route to this node
   */
  @ParameterizedTest
  @CsvSource({
    "1, false, false, 1",
    "1, false, true, 1",
    "1, true, false, 1",
    "1, true, true, 1",
    "0, false, false, 1",
    "0, false, true, 1",
    "0, true, false, 1",
    "0, true, true, 1",
    "2, false, false, 0",
    "2, false, true, 0",
    "2, true, false, 0",
    "2, true, true, 0",
  })
  void shouldReceiveAMessageThatIsStoredAfterTheSuback(
      int publishedAt, boolean persistent, boolean routed, int qos) {
    if (routed) {
      cluster.node(1).connect("other").subscribe(1, "a/#", 1).readAll();
    }
    TestClient subscriber = connect(1, persistent);
    TestClient publisher = publishHeld(publishedAt, qos);
    assertThat(subscriber.subscribe(1, "a/#", 1).readAll())
        .as("the SUBACK does not wait")
        .containsExactly("SUBACK 1 [1]");
    releaseStore();
    List<String> received = subscriber.readAll();
    assertThat(received).hasSize(1);
    assertThat(received.get(0)).startsWith("PUBLISH q" + qos + " retain").endsWith("a/b x");
    assertThat(publisher.readAll()).hasSize(qos);
  }

  @Test
  void shouldReadWhatIsStoredWhenTheWaitIsOver() {
    cluster.node(0).connect("before").publish(1, 1, "a/c", "old", true, false, NONE).readAll();
    TestClient subscriber = cluster.node(1).connect("s");
    publishHeld(0, 1);
    subscriber.subscribe(1, "a/#", 1).expect("SUBACK 1 [1]");
    cluster.advanceTime(DeliverySettings.DEFAULTS.maxRetainedWait());
    subscriber.expect("PUBLISH q1 retain id=1 a/c old");
    assertThat(cluster.node(1).retainedReadEarly).isEqualTo(1);
    releaseStore();
    subscriber.expect();
  }

  @Test
  void shouldSendNothingForARemovedSubscription() {
    cluster.node(0).connect("before").publish(1, 1, "c", "old", true, false, NONE).readAll();
    TestClient subscriber = cluster.node(1).connect("s");
    publishHeld(0, 1);
    subscriber.subscribe(1, "a/#", 1).readAll();
    subscriber.send(MqttMessageBuilders.unsubscribe().messageId(3).addTopicFilter("a/#").build());
    assertThat(subscriber.readAll()).hasSize(1);
    releaseStore();
    subscriber.expect();
    subscriber.subscribe(4, "c", 1).expect("SUBACK 4 [1]", "PUBLISH q1 retain id=1 c old");
  }
}
