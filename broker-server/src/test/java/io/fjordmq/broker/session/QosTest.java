package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The three QoS levels between transient sessions. */
@ExtendWith(LeakDetector.class)
class QosTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.inflight).hasValue(0);
    assertThat(world.observer.queued).hasValue(0);
    assertThat(world.observer.heldBack).hasValue(0);
    assertThat(world.sessions.size()).isZero();
  }

  private TestClient connectSubscriber(int qos) {
    TestClient client = world.open().connect3("sub", true).subscribe(1, "a/#", qos);
    client.expect("CONNACK 0", "SUBACK 1 [" + qos + "]");
    return client;
  }

  private TestClient connectPublisher() {
    TestClient client = world.open().connect3("pub", true);
    client.expect("CONNACK 0");
    return client;
  }

  @Test
  void shouldDeliverQos0() {
    TestClient subscriber = connectSubscriber(0);
    connectPublisher().publish(0, 0, "a/b", "hello").expect();
    subscriber.expect("PUBLISH q0 a/b hello");
  }

  @Test
  void shouldAssignIncreasingRetainVersions() {
    for (int qos = 0; qos <= 2; qos++) {
      TestClient client = world.open().connect3("lamp", true);
      client.publish(qos, qos, "a", "on", true, false, MqttProperties.NO_PROPERTIES);
    }
    assertThat(world.retained.versions).hasSize(3).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void shouldAcknowledgeQos1BothWays() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(7, 1, "a/b", "hello").expect("PUBACK 7");
    subscriber.expect("PUBLISH q1 id=1 a/b hello");
    assertThat(world.observer.inflight).hasValue(1);
    subscriber.reply(MqttMessageType.PUBACK, 1).expect();
    assertThat(world.observer.inflight).hasValue(0);
  }

  @Test
  void shouldCompleteTheQos2HandshakeBothWays() {
    TestClient subscriber = connectSubscriber(2);
    TestClient publisher = connectPublisher();
    publisher.publish(7, 2, "a/b", "hello").expect("PUBREC 7");
    publisher.reply(MqttMessageType.PUBREL, 7).expect("PUBCOMP 7");
    subscriber.expect("PUBLISH q2 id=1 a/b hello");
    subscriber.reply(MqttMessageType.PUBREC, 1).expect("PUBREL 1");
    subscriber.reply(MqttMessageType.PUBCOMP, 1).expect();
  }

  @Test
  void shouldDistributeQos2OnceWhenThePublishIsRepeated() {
    TestClient subscriber = connectSubscriber(2);
    TestClient publisher = connectPublisher();
    publisher.publish(7, 2, "a/b", "hello").expect("PUBREC 7");
    publisher
        .publish(7, 2, "a/b", "hello", false, true, MqttProperties.NO_PROPERTIES)
        .expect("PUBREC 7");
    publisher.reply(MqttMessageType.PUBREL, 7).expect("PUBCOMP 7");
    subscriber.expect("PUBLISH q2 id=1 a/b hello");
    // The identifier is free again: the same number is now a new message.
    publisher.publish(7, 2, "a/b", "again").expect("PUBREC 7");
    subscriber.expect("PUBLISH q2 id=2 a/b again");
  }

  @Test
  void shouldLowerQosToWhatTheSubscriptionAccepts() {
    TestClient subscriber = connectSubscriber(1);
    connectPublisher().publish(7, 2, "a/b", "hello").expect("PUBREC 7");
    subscriber.expect("PUBLISH q1 id=1 a/b hello");
  }

  @Test
  void shouldAcknowledgeInOrderOfArrivalWhenStoresAnswerOutOfOrder() {
    TestClient publisher = connectPublisher();
    world.open().connect3("keeper", false).subscribe(1, "slow/#", 1);
    TestClient subscriber = connectSubscriber(1);
    world.tasks.hold();
    // The first waits for the store, the second for nothing.
    publisher.publish(1, 1, "slow/x", "first").publish(2, 1, "a/b", "second").expect();
    subscriber.expect("PUBLISH q1 id=1 a/b second");
    world.tasks.resume();
    world.settle();
    publisher.expect("PUBACK 1", "PUBACK 2");
    assertThat(world.observer.acknowledged).hasValue(2);
  }

  @Test
  void shouldKeepOrderThroughTheInflightWindow() {
    TestClient subscriber = connectSubscriber(1);
    TestClient publisher = connectPublisher();
    int many = world.settings.maxInflight() + 10;
    for (int i = 1; i <= many; i++) {
      publisher.publish(i, 1, "a/b", "m" + i);
    }
    assertThat(subscriber.readAll()).hasSize(world.settings.maxInflight());
    subscriber.reply(MqttMessageType.PUBACK, 1);
    subscriber.expect("PUBLISH q1 id=" + (many - 9) + " a/b m" + (many - 9));
    assertThat(world.observer.queued).hasValue(9);
  }

  @Test
  void shouldAnswerPingreq() {
    connectPublisher().sendHex("c000").expect("PINGRESP");
  }
}
