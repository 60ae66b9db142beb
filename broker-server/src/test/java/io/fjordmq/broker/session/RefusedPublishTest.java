package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.inbox.InboxEntry;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Tests how a publisher learns that a message was not stored, and that order is preserved. */
@ExtendWith(LeakDetector.class)
class RefusedPublishTest {
  private final World world = new World();

  @BeforeEach
  void createOfflineSubscriber() {
    TestClient away = world.open().connect3("away", false).subscribe(1, "a", 1);
    away.expect("CONNACK 0", "SUBACK 1 [1]");
    away.cut();
  }

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.sessions.size()).isZero();
  }

  private TestClient connectMqtt3Publisher() {
    TestClient client = world.open().connect3("pub", true);
    client.expect("CONNACK 0");
    return client;
  }

  private List<String> storedPayloads() {
    return world.inboxes.get("away").entries.values().stream()
        .map(InboxEntry::message)
        .map(message -> new String(message.payload(), StandardCharsets.UTF_8))
        .toList();
  }

  @Test
  void shouldRefuseMqtt5PublishesAndContinueWhenTheDiskIsFull() {
    TestClient publisher = world.open().connect5("pub", true, 0);
    publisher.expect("CONNACK 0");
    world.hasDiskSpace = false;
    publisher.publish(1, 1, "a", "one").expect("PUBACK 1 97");
    publisher.publish(2, 2, "a", "two").expect("PUBREC 2 97");
    world.hasDiskSpace = true;
    publisher.publish(3, 1, "a", "three").expect("PUBACK 3");
    assertThat(storedPayloads()).containsExactly("three");
  }

  @Test
  void shouldCloseMqtt3ConnectionsWhenTheDiskIsFull() {
    TestClient publisher = connectMqtt3Publisher();
    world.hasDiskSpace = false;
    publisher.publish(1, 1, "a", "one").expect();
    assertThat(publisher.isOpen()).isFalse();
    assertThat(world.observer.disconnected).containsEntry(CloseReason.NOT_DURABLE, 1);
    assertThat(storedPayloads()).isEmpty();
  }

  @Test
  void shouldStoreNothingAfterAFailedPublishUntilTheClientRepeatsBoth() {
    TestClient publisher = connectMqtt3Publisher();
    world.inboxes.refuseNextInsert = true;
    // Both packets arrive in one read, after which the event loop handles the outcomes.
    publisher.sendHex("32 08 0001 61 0001 6f6e65" + "32 08 0001 61 0002 74776f").expect();
    assertThat(publisher.isOpen()).isFalse();

    TestClient again = connectMqtt3Publisher();
    again.publish(1, 1, "a", "one", false, true, MqttProperties.NO_PROPERTIES).expect("PUBACK 1");
    again.publish(2, 1, "a", "two", false, true, MqttProperties.NO_PROPERTIES).expect("PUBACK 2");
    assertThat(storedPayloads()).containsExactly("one", "two");
  }

  @Test
  void shouldNotStoreAQos2PublishOfATransientClientAfterAFailedOne() {
    TestClient publisher = connectMqtt3Publisher();
    world.inboxes.refuseNextInsert = true;
    publisher.sendHex("34 08 0001 61 0001 6f6e65" + "34 08 0001 61 0002 74776f").expect();
    assertThat(publisher.isOpen()).isFalse();
    assertThat(storedPayloads()).isEmpty();
  }

  @Test
  void shouldCloseTheConnectionWhenAPublishFailsWhileAnEarlierOneIsRecorded() {
    TestClient publisher = world.open().connect3("pub", false);
    publisher.expect("CONNACK 0");
    world.inboxes.refuseNextInsert = true;
    // The first is stored after its identifier is recorded; the second is stored immediately.
    publisher.sendHex("34 08 0001 61 0001 6f6e65" + "32 08 0001 61 0002 74776f").expect();
    assertThat(publisher.isOpen()).isFalse();
    assertThat(storedPayloads()).isEmpty();
  }

  @Test
  void shouldNotRefuseARepetitionThatMayAlreadyBeDelivered() {
    TestClient publisher = world.open().connect5("pub", false, 100);
    publisher.expect("CONNACK 0");
    world.inboxes.refuseNextInsert = true;
    publisher.publish(1, 2, "a", "one").next();
    assertThat(publisher.isOpen()).isFalse();

    // A reason code would end the exchange: the client's next repetition would be a new message.
    TestClient second = world.open().connect5("pub", false, 100);
    second.expect("CONNACK 0 present");
    world.hasDiskSpace = false;
    second.publish(1, 2, "a", "one", false, true, MqttProperties.NO_PROPERTIES).next();
    assertThat(second.isOpen()).isFalse();
    assertThat(world.inboxes.get("pub").received).containsOnlyKeys(1);

    TestClient third = world.open().connect5("pub", false, 100);
    third.expect("CONNACK 0 present");
    world.hasDiskSpace = true;
    third.publish(1, 2, "a", "one", false, true, MqttProperties.NO_PROPERTIES).expect("PUBREC 1");
    assertThat(storedPayloads()).containsExactly("one");
  }
}
