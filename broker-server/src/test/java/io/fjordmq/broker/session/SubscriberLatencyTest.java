package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.slow.SlowSubscription;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Which subscribers count as slow. */
@ExtendWith(LeakDetector.class)
class SubscriberLatencyTest {
  private final World world = new World();
  private final TestClient publisher = world.open().connect5("pub", true, 0);

  @AfterEach
  void closeWorld() {
    world.close();
  }

  private TestClient subscriber(int qos) {
    TestClient client = world.open().connect5("sub", true, 0).subscribe(1, "a/#", qos);
    client.readAll();
    return client;
  }

  private SlowSubscription slowest() {
    assertThat(world.slow.list(world.nowMillis())).hasSize(1);
    return world.slow.list(world.nowMillis()).get(0);
  }

  private void assertNoneSlow() {
    assertThat(world.slow.list(world.nowMillis())).isEmpty();
  }

  @Test
  void shouldReportALateAcknowledgement() {
    TestClient subscriber = subscriber(1);
    publisher.publish(1, 1, "a/1", "x");
    subscriber.reply(MqttMessageType.PUBACK, 1);
    assertNoneSlow();
    publisher.publish(2, 1, "a/2", "x");
    world.advanceClock(3);
    subscriber.reply(MqttMessageType.PUBACK, 2);
    assertThat(slowest())
        .isEqualTo(new SlowSubscription("t", "sub", "a/2", 3_000, world.nowMillis()));
  }

  @Test
  void shouldMeasureUntilQos2IsComplete() {
    TestClient subscriber = subscriber(2);
    publisher.publish(1, 2, "a/1", "x").reply(MqttMessageType.PUBREL, 1);
    world.advanceClock(1);
    subscriber.reply(MqttMessageType.PUBREC, 1);
    assertNoneSlow();
    world.advanceClock(1);
    subscriber.reply(MqttMessageType.PUBCOMP, 1);
    assertThat(slowest().latencyMillis()).isEqualTo(2_000);
  }

  @Test
  void shouldReportQos0MessagesThatWaitedInMemory() {
    TestClient subscriber = subscriber(0);
    publisher.publish(0, 0, "a/fast", "x");
    subscriber.stopReading();
    String large = "x".repeat(500_000);
    publisher.publish(0, 0, "a/fills", large).publish(0, 0, "a/waits", "x");
    world.advanceClock(2);
    subscriber.readAgain();
    assertThat(slowest().topic()).isEqualTo("a/waits");
    assertThat(slowest().latencyMillis()).isEqualTo(2_000);
  }

  @Test
  void shouldNotBlameAClientForMessagesFromBeforeItsConnection() {
    TestClient subscriber = world.open().connect5("p", false, 1_000).subscribe(1, "a/#", 1);
    subscriber.disconnect();
    publisher.publish(1, 1, "a/1", "x");
    world.advanceClock(100);
    TestClient again = world.open().connect5("p", false, 1_000);
    again.readAll();
    world.advanceClock(2);
    again.reply(MqttMessageType.PUBACK, 1);
    assertNoneSlow();
    publisher.publish(2, 1, "a/2", "x");
    world.advanceClock(2);
    again.reply(MqttMessageType.PUBACK, 2);
    assertThat(slowest().topic()).isEqualTo("a/2");
  }

  @Test
  void shouldNotMeasureRetainedMessages() {
    TestClient subscriber = world.open().connect5("sub", true, 0);
    publisher.publish(1, 1, "a/1", "x", true, false, MqttProperties.NO_PROPERTIES);
    world.advanceClock(100);
    subscriber.subscribe(1, "a/#", 1);
    subscriber.reply(MqttMessageType.PUBACK, 1);
    assertNoneSlow();
  }
}
