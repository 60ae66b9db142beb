package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.fjordmq.router.Receiver;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttQoS;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** SUBSCRIBE, UNSUBSCRIBE and the retained messages that follow. */
@ExtendWith(LeakDetector.class)
class SubscribeTest {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
  }

  private TestClient connectMqtt5(String id) {
    TestClient client = world.open().connect5(id, true, 0);
    client.expect("CONNACK 0");
    return client;
  }

  private static TestClient unsubscribe(TestClient client, String... filters) {
    var builder = MqttMessageBuilders.unsubscribe().messageId(9);
    for (String filter : filters) {
      builder.addTopicFilter(filter);
    }
    return client.send(builder.build());
  }

  private void retain(int many) {
    TestClient publisher = world.open().connect3("retainer", true);
    for (int i = 0; i < many; i++) {
      publisher.publish(
          i + 1, 1, String.format("r/%03d", i), "m" + i, true, false, MqttProperties.NO_PROPERTIES);
    }
    publisher.disconnect();
  }

  @Test
  void shouldAcknowledgeEachFilterInOrder() {
    TestClient client = connectMqtt5("c");
    client.send(
        MqttMessageBuilders.subscribe()
            .messageId(5)
            .addSubscription(MqttQoS.EXACTLY_ONCE, "a")
            .addSubscription(MqttQoS.AT_MOST_ONCE, "/".repeat(128))
            .addSubscription(MqttQoS.AT_LEAST_ONCE, "$share/g/x")
            .build());
    client.expect("SUBACK 5 [2, 143, 1]");
  }

  @Test
  void shouldSendFailureCodesToMqtt3() {
    world
        .open()
        .connect3("c", true)
        .subscribe(5, "/".repeat(128), 1)
        .expect("CONNACK 0", "SUBACK 5 [128]");
  }

  @Test
  void shouldSendSubackOnlyWhenTheSubscriptionTakesEffect() {
    TestClient client = connectMqtt5("c");
    world.tasks.hold();
    client.subscribe(1, "a", 1).expect();
    world.tasks.resume();
    world.settle();
    client.expect("SUBACK 1 [1]");
    assertThat(world.router.filters(Receiver.Live.class)).containsExactly("a");
  }

  @Test
  void shouldAcknowledgeInTheOrderOfThePackets() {
    TestClient client = connectMqtt5("c");
    world.tasks.hold();
    client.subscribe(1, "a", 1).subscribe(2, "b", 1);
    unsubscribe(client, "a", "zzz");
    world.tasks.resume();
    world.settle();
    client.expect("SUBACK 1 [1]", "SUBACK 2 [1]", "UNSUBACK 9 [0, 17]");
  }

  @Test
  void shouldAcknowledgeThousandsOfPendingPacketsWithoutGrowingTheStack() {
    int packets = 20_000;
    TestClient client = world.open().connect3("c", true);
    client.expect("CONNACK 0");
    world.tasks.hold();
    client.subscribe(1, "a", 1);
    client.sendHex("a205 0009 0001 78".repeat(packets));
    world.tasks.resume();
    world.settle();
    assertThat(client.readAll().size()).isEqualTo(1 + packets);
    client.publish(2, 1, "a", "x");
    assertThat(client.readAll()).containsExactlyInAnyOrder("PUBACK 2", "PUBLISH q1 id=1 a x");
  }

  @Test
  void shouldWriteTheInboxRowBeforeTheRouteAndRemoveItAfter() {
    TestClient client = world.open().connect3("c", false).subscribe(1, "a", 1);
    assertThat(world.inboxes.get("c").subscriptions).containsOnlyKeys("a");
    assertThat(world.router.filters(Receiver.Inbox.class)).containsExactly("a");
    unsubscribe(client, "a");
    assertThat(world.inboxes.get("c").subscriptions).isEmpty();
    assertThat(world.router.filters(Receiver.Inbox.class)).isEmpty();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
  }

  @Test
  void shouldLeaveNoRouteBehindWhenTheConnectionEndsBeforeTheSuback() {
    TestClient persistent = world.open().connect3("p", false);
    TestClient transientOne = connectMqtt5("t");
    world.tasks.hold();
    persistent.subscribe(1, "a", 1).cut();
    transientOne.subscribe(1, "b", 1).cut();
    world.tasks.resume();
    world.settle();
    assertThat(world.router.filters(Receiver.Live.class)).isEmpty();
  }

  @Test
  void shouldDeliverNothingAfterTheUnsuback() {
    TestClient client = connectMqtt5("c").subscribe(1, "a", 0);
    unsubscribe(client, "a");
    client.readAll();
    connectMqtt5("p").publish(0, 0, "a", "x");
    client.expect();
  }

  @Test
  void shouldRefuseMoreSubscriptionsThanAllowed() {
    SessionSettings one = Settings.with("maxSubscriptions", 1);
    try (World small = new World(one)) {
      TestClient client = small.open().connect5("c", true, 0).subscribe(1, "a", 0);
      client.subscribe(2, "b", 0);
      client.expect("CONNACK 0", "SUBACK 1 [0]", "SUBACK 2 [151]");
      unsubscribe(client, "a");
      client.subscribe(3, "b", 0);
      client.expect("UNSUBACK 9 [0]", "SUBACK 3 [0]");
    }
  }

  @Test
  void shouldUseTheLastOptionsWhenAPacketRepeatsAFilter() {
    TestClient client = connectMqtt5("c");
    client.send(
        MqttMessageBuilders.subscribe()
            .messageId(5)
            .addSubscription(MqttQoS.EXACTLY_ONCE, "a")
            .addSubscription(MqttQoS.AT_MOST_ONCE, "a")
            .build());
    client.expect("SUBACK 5 [2, 0]");
    connectMqtt5("p").publish(1, 2, "a", "x");
    client.expect("PUBLISH q0 a x");
  }

  @Test
  void shouldSendRetainedMessagesPageByPageAsTheClientAcknowledgesThem() {
    retain(100);
    SessionSettings small = Settings.with("retainedPageMessages", 10);
    small = Settings.with(small, "maxQueuedMessages", 20);
    small = Settings.with(small, "maxInflight", 5);
    try (World slow = new World(small)) {
      slow.open();
      TestClient publisher = slow.open().connect3("retainer", true);
      for (int i = 0; i < 100; i++) {
        publisher.publish(i + 1, 1, "r/" + i, "m" + i, true, false, MqttProperties.NO_PROPERTIES);
      }
      TestClient client = slow.open().connect3("c", true).subscribe(1, "r/#", 1);
      List<String> got = client.readAll();
      assertThat(slow.retained.pagesRead).isLessThan(5);
      for (int i = 1; i <= 100; i++) {
        client.reply(MqttMessageType.PUBACK, i);
        got.addAll(client.readAll());
      }
      assertThat(got).hasSize(102).filteredOn(one -> one.contains("retain")).hasSize(100);
      assertThat(slow.observer.dropped).isEmpty();
    }
  }

  @Test
  void shouldSendRetainedMessagesToAPersistentSessionThroughItsInbox() {
    retain(3);
    TestClient client = world.open().connect3("c", false).subscribe(1, "r/#", 1);
    assertThat(client.readAll()).hasSize(5);
    client.cut();
    world
        .open()
        .connect3("c", false)
        .expect(
            "CONNACK 0 present",
            "PUBLISH q1 dup retain id=1 r/000 m0",
            "PUBLISH q1 dup retain id=2 r/001 m1",
            "PUBLISH q1 dup retain id=3 r/002 m2");
  }

  @Test
  void shouldSendNoRetainedMessagesToASharedSubscription() {
    retain(1);
    connectMqtt5("c").subscribe(1, "$share/g/r/#", 0).expect("SUBACK 1 [0]");
  }

  @Test
  void shouldSendEachMessageOfAShareToOneMember() {
    TestClient one = connectMqtt5("one").subscribe(1, "$share/g/a", 0);
    TestClient two = connectMqtt5("two").subscribe(1, "$share/g/a", 0);
    one.readAll();
    two.readAll();
    TestClient publisher = connectMqtt5("p");
    for (int i = 0; i < 4; i++) {
      publisher.publish(0, 0, "a", "m" + i);
    }
    assertThat(one.readAll().size() + two.readAll().size()).isEqualTo(4);
  }

  @Test
  void shouldRedistributeMessagesThatAMemberDidNotAcknowledge() {
    TestClient one = connectMqtt5("one").subscribe(1, "$share/g/a", 1);
    one.readAll();
    connectMqtt5("p").publish(1, 1, "a", "x");
    one.expect("PUBLISH q1 id=1 a x");
    TestClient two = connectMqtt5("two").subscribe(1, "$share/g/a", 1);
    two.readAll();
    one.cut();
    two.expect("PUBLISH q1 id=1 a x");
  }

  @Test
  @DisplayName("[3.1.1: MQTT-4.8.0-2] a failed UNSUBSCRIBE is not acknowledged to MQTT 3")
  void shouldCloseTheConnectionOfMqtt3WhenAnUnsubscribeFails() {
    TestClient three = world.open().connect3("three", false).subscribe(1, "a", 1);
    TestClient five = world.open().connect5("five", true, 60).subscribe(1, "a", 1);
    three.expect("CONNACK 0", "SUBACK 1 [1]");
    five.expect("CONNACK 0", "SUBACK 1 [1]");
    world.inboxes.failure = new IllegalStateException("no majority");
    unsubscribe(three, "a").expect();
    assertThat(three.isOpen()).isFalse();
    unsubscribe(five, "a").expect("UNSUBACK 9 [128]");
    assertThat(five.isOpen()).isTrue();
    world.inboxes.failure = null;
  }
}
