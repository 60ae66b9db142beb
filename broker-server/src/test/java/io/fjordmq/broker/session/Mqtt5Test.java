package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.limits.SessionSettings;
import io.fjordmq.broker.protocol.CloseReason;
import io.fjordmq.broker.testing.LeakDetector;
import io.fjordmq.broker.testing.Settings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.World;
import io.netty.handler.codec.mqtt.MqttMessageBuilders;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import io.netty.handler.codec.mqtt.MqttProperties.IntegerProperty;
import io.netty.handler.codec.mqtt.MqttProperties.StringProperty;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption;
import io.netty.handler.codec.mqtt.MqttSubscriptionOption.RetainedHandlingPolicy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Features added by MQTT 5. */
@ExtendWith(LeakDetector.class)
class Mqtt5Test {
  private final World world = new World();

  @AfterEach
  void closeWorld() {
    world.close();
    assertThat(world.observer.queued).hasValue(0);
  }

  private static MqttProperties propertiesWith(int id, int value) {
    MqttProperties properties = new MqttProperties();
    properties.add(new IntegerProperty(id, value));
    return properties;
  }

  private TestClient connect(String id, MqttProperties properties) {
    TestClient client = world.open().connect5(id, true, properties);
    client.expect("CONNACK 0");
    return client;
  }

  private TestClient connect(String id) {
    return connect(id, MqttProperties.NO_PROPERTIES);
  }

  private static TestClient subscribe(TestClient client, MqttSubscriptionOption option, int id) {
    return client.send(
        MqttMessageBuilders.subscribe()
            .messageId(1)
            .addSubscription("a/#", option)
            .properties(id == 0 ? MqttProperties.NO_PROPERTIES : propertiesWith(0x0B, id))
            .build());
  }

  private static MqttSubscriptionOption option(
      int qos, boolean noLocal, boolean asPublished, int handling) {
    return new MqttSubscriptionOption(
        MqttQoS.valueOf(qos), noLocal, asPublished, RetainedHandlingPolicy.valueOf(handling));
  }

  @Test
  void shouldAnnounceItsLimitsInTheConnack() {
    TestClient client = connect("");
    SessionSettings settings = world.settings;
    assertThat(client.property(MqttProperties.RECEIVE_MAXIMUM))
        .isEqualTo(settings.receiveMaximum());
    assertThat(client.property(MqttProperties.MAXIMUM_PACKET_SIZE))
        .isEqualTo(settings.maxPacketBytes());
    assertThat(client.property(MqttProperties.TOPIC_ALIAS_MAXIMUM))
        .isEqualTo(settings.topicAliasMaximum());
    assertThat((String) client.property(MqttProperties.ASSIGNED_CLIENT_IDENTIFIER))
        .startsWith("fjord-");
    assertThat(client.property(MqttProperties.SERVER_KEEP_ALIVE)).isNull();
    assertThat(client.property(MqttProperties.SESSION_EXPIRY_INTERVAL)).isNull();
  }

  @Test
  void shouldReturnNoMatchingSubscribers() {
    connect("p").publish(1, 1, "nobody", "x").expect("PUBACK 1 10");
    connect("q").publish(1, 2, "nobody", "x").expect("PUBREC 1 10");
  }

  @Test
  void shouldCloseTheConnectionBeyondTheReceiveMaximum() {
    // Lower than the limit of pending publishes, at which the broker would stop reading first.
    try (World few = new World(Settings.with("receiveMaximum", 10))) {
      few.open().connect3("keeper", false).subscribe(1, "a", 1);
      TestClient publisher = few.open().connect5("p", true, 0);
      publisher.expect("CONNACK 0");
      few.tasks.hold();
      for (int i = 1; i <= 10; i++) {
        publisher.sendHex("32 06 0001 61 " + String.format("%04x", i) + " 00");
      }
      assertThat(publisher.isOpen()).isTrue();
      publisher.sendHex("32 06 0001 61 ffff 00").expect("DISCONNECT 93");
      assertThat(few.observer.disconnected).containsEntry(CloseReason.RECEIVE_MAXIMUM_EXCEEDED, 1);
    }
  }

  @Test
  void shouldHonorTheReceiveMaximumOfTheClient() {
    TestClient slow =
        connect("slow", propertiesWith(MqttProperties.RECEIVE_MAXIMUM, 2)).subscribe(1, "a", 1);
    slow.readAll();
    TestClient publisher = connect("p");
    for (int i = 1; i <= 3; i++) {
      publisher.publish(i, 1, "a", "m" + i);
    }
    slow.expect("PUBLISH q1 id=1 a m1", "PUBLISH q1 id=2 a m2");
    slow.reply(MqttMessageType.PUBACK, 2).expect("PUBLISH q1 id=3 a m3");
  }

  @Test
  void shouldResolveTopicAliasesOfTheClient() {
    TestClient subscriber = connect("s").subscribe(1, "#", 0);
    subscriber.readAll();
    TestClient publisher = connect("p");
    MqttProperties alias = propertiesWith(MqttProperties.TOPIC_ALIAS, 3);
    publisher.publish(0, 0, "a/b", "one", false, false, alias);
    publisher.publish(0, 0, "", "two", false, false, alias);
    publisher.publish(0, 0, "c", "three", false, false, alias);
    publisher.publish(0, 0, "", "four", false, false, alias);
    subscriber.expect(
        "PUBLISH q0 a/b one", "PUBLISH q0 a/b two", "PUBLISH q0 c three", "PUBLISH q0 c four");
  }

  @Test
  void shouldSendTopicAliasesToAClientThatAllowsThem() {
    TestClient subscriber =
        connect("s", propertiesWith(MqttProperties.TOPIC_ALIAS_MAXIMUM, 1)).subscribe(1, "#", 0);
    subscriber.readAll();
    TestClient publisher = connect("p");
    publisher.publish(0, 0, "a/b", "one");
    subscriber.expect("PUBLISH q0 a/b one");
    assertThat(subscriber.property(MqttProperties.TOPIC_ALIAS)).isEqualTo(1);
    publisher.publish(0, 0, "a/b", "two");
    subscriber.expect("PUBLISH q0  two");
    publisher.publish(0, 0, "c", "three");
    subscriber.expect("PUBLISH q0 c three");
    assertThat(subscriber.property(MqttProperties.TOPIC_ALIAS)).isNull();
  }

  @Test
  void shouldCountDownTheMessageExpiryInterval() {
    world.open().connect3("sub", false).subscribe(1, "a", 1).cut();
    TestClient publisher = connect("p");
    publisher.publish(1, 1, "a", "old", false, false, propertiesWith(0x02, 10));
    publisher.publish(2, 1, "a", "young", false, false, propertiesWith(0x02, 60));
    world.advanceClock(20);
    TestClient again = world.open().connect5("sub", false, 100);
    again.expect("CONNACK 0 present", "PUBLISH q1 id=2 a young");
    assertThat(again.property(MqttProperties.PUBLICATION_EXPIRY_INTERVAL)).isEqualTo(40);
    assertThat(world.observer.dropped).containsEntry(DropReason.EXPIRED, 1L);
    again.reply(MqttMessageType.PUBACK, 2);
    assertThat(world.inboxes.get("sub").entries).isEmpty();
  }

  @Test
  void shouldDropMessagesLargerThanTheMaximumPacketSizeOfTheClient() {
    TestClient small =
        connect("s", propertiesWith(MqttProperties.MAXIMUM_PACKET_SIZE, 40)).subscribe(1, "a", 1);
    small.readAll();
    TestClient publisher = connect("p");
    publisher.publish(1, 1, "a", "x".repeat(100)).publish(2, 1, "a", "fits");
    small.expect("PUBLISH q1 id=1 a fits");
    assertThat(world.observer.dropped).containsEntry(DropReason.EXCEEDS_CLIENT_LIMIT, 1L);
  }

  @Test
  void shouldRemoveAnInboxMessageThatIsTooLargeForItsClient() {
    MqttProperties properties = propertiesWith(MqttProperties.MAXIMUM_PACKET_SIZE, 40);
    properties.add(new IntegerProperty(MqttProperties.SESSION_EXPIRY_INTERVAL, 100));
    TestClient small = connect("s", properties).subscribe(1, "a", 1);
    small.readAll();
    connect("p").publish(1, 1, "a", "x".repeat(100));
    small.expect();
    assertThat(world.inboxes.get("s").entries).isEmpty();
  }

  @Test
  void shouldForwardTheMessageProperties() {
    TestClient subscriber = connect("s").subscribe(1, "a", 0);
    subscriber.readAll();
    MqttProperties properties = propertiesWith(MqttProperties.PAYLOAD_FORMAT_INDICATOR, 1);
    properties.add(new StringProperty(MqttProperties.CONTENT_TYPE, "text/plain"));
    properties.add(new StringProperty(MqttProperties.RESPONSE_TOPIC, "answers"));
    byte[] correlation = "c-1".getBytes(StandardCharsets.UTF_8);
    properties.add(new MqttProperties.BinaryProperty(MqttProperties.CORRELATION_DATA, correlation));
    properties.add(new MqttProperties.UserProperty("k", "v1"));
    properties.add(new MqttProperties.UserProperty("k", "v2"));
    connect("p").publish(0, 0, "a", "x", false, false, properties);
    subscriber.expect("PUBLISH q0 a x");
    assertThat(subscriber.property(MqttProperties.PAYLOAD_FORMAT_INDICATOR)).isEqualTo(1);
    assertThat(subscriber.property(MqttProperties.CONTENT_TYPE)).isEqualTo("text/plain");
    assertThat(subscriber.property(MqttProperties.RESPONSE_TOPIC)).isEqualTo("answers");
    assertThat((byte[]) subscriber.property(MqttProperties.CORRELATION_DATA))
        .isEqualTo(correlation);
    assertThat(subscriber.lastProperties().getProperties(MqttProperties.USER_PROPERTY))
        .extracting(one -> ((MqttProperties.UserProperty) one).value().value)
        .containsExactly("v1", "v2");
  }

  @Test
  void shouldSendTheSubscriptionIdentifier() {
    TestClient subscriber = subscribe(connect("s"), option(0, false, false, 0), 200);
    subscriber.readAll();
    connect("p").publish(0, 0, "a/b", "x");
    subscriber.expect("PUBLISH q0 a/b x");
    assertThat(subscriber.property(MqttProperties.SUBSCRIPTION_IDENTIFIER)).isEqualTo(200);
  }

  @Test
  void shouldNotSendAClientsOwnMessagesToItsNoLocalSubscription() {
    TestClient client = subscribe(connect("s"), option(0, true, false, 0), 0);
    client.readAll();
    client.publish(0, 0, "a/b", "mine").expect();
    connect("p").publish(0, 0, "a/b", "other");
    client.expect("PUBLISH q0 a/b other");
  }

  @Test
  void shouldKeepTheRetainFlagOnlyWithRetainAsPublished() {
    TestClient as = subscribe(connect("as"), option(0, false, true, 2), 0);
    TestClient not = subscribe(connect("not"), option(0, false, false, 2), 0);
    as.readAll();
    not.readAll();
    connect("p").publish(0, 0, "a/b", "x", true, false, MqttProperties.NO_PROPERTIES);
    as.expect("PUBLISH q0 retain a/b x");
    not.expect("PUBLISH q0 a/b x");
  }

  @Test
  void shouldHonorRetainHandling() {
    connect("p").publish(0, 0, "a/b", "kept", true, false, MqttProperties.NO_PROPERTIES);
    TestClient client = connect("s");
    subscribe(client, option(0, false, false, 1), 0);
    client.expect("SUBACK 1 [0]", "PUBLISH q0 retain a/b kept");
    subscribe(client, option(0, false, false, 1), 0);
    client.expect("SUBACK 1 [0]");
    subscribe(client, option(0, false, false, 2), 0);
    client.expect("SUBACK 1 [0]");
    subscribe(client, option(0, false, false, 0), 0);
    client.expect("SUBACK 1 [0]", "PUBLISH q0 retain a/b kept");
  }

  @Test
  void shouldEndTheExchangeWhenTheClientSendsAnErrorCode() {
    TestClient client = connect("s").subscribe(1, "a", 2);
    client.readAll();
    connect("p").publish(1, 2, "a", "x");
    client.expect("PUBLISH q2 id=1 a x");
    client.reply(MqttMessageType.PUBREC, 1, 0x97).expect();
    assertThat(world.observer.inflight).hasValue(0);
    assertThat(world.observer.dropped).containsEntry(DropReason.REFUSED_BY_CLIENT, 1L);
  }

  @Test
  void shouldAnswerUnknownPacketIdentifiersWithNotFound() {
    TestClient client = connect("c");
    client.reply(MqttMessageType.PUBREL, 9).expect("PUBCOMP 9 92");
    client.reply(MqttMessageType.PUBREC, 9).expect("PUBREL 9 92");
    client.reply(MqttMessageType.PUBACK, 9).expect();
    assertThat(client.isOpen()).isTrue();
  }

  /** [MQTT-4.6.0-3], although the first identifier must be removed before its answer. */
  @Test
  void shouldAcknowledgeInTheOrderOfThePublishesWhenOneIsRefused() {
    world.open().connect3("keeper", false).subscribe(1, "a", 2).cut();
    TestClient publisher = world.open().connect5("p", true, 100);
    publisher.next();
    world.inboxes.full = true;
    publisher
        .sendHex("34 07 0001 61 0001 00 78" + "34 07 0001 62 0002 00 79") // to a and b
        .expect("PUBREC 1 97", "PUBREC 2 10");
  }

  @Test
  void shouldReturnQuotaExceededAndFreeTheIdentifier() {
    world.open().connect3("keeper", false).subscribe(1, "a", 2).cut();
    world.inboxes.full = true;
    TestClient publisher = world.open().connect5("p", true, 100);
    publisher.next();
    publisher.publish(1, 1, "a", "x").expect("PUBACK 1 97");
    publisher.publish(2, 2, "a", "x").expect("PUBREC 2 97");
    assertThat(world.inboxes.get("p").received).isEmpty();
    world.inboxes.full = false;
    publisher.publish(2, 2, "a", "new").expect("PUBREC 2");
  }

  @Test
  void shouldSendSessionTakenOverToTheOlderConnection() {
    TestClient old = connect("c");
    connect("c");
    old.expect("DISCONNECT 8e");
    assertThat(old.isOpen()).isFalse();
    assertThat(world.registry.size()).isOne();
  }

  @Test
  void shouldSendServerShuttingDownAtShutdown() {
    TestClient five = connect("five");
    TestClient three = world.open().connect3("three", false);
    three.next();
    var gone = world.sessions.shutDown();
    world.settle();
    five.expect("DISCONNECT 8b");
    three.expect();
    assertThat(three.isOpen()).isFalse();
    assertThat(gone).isCompleted();
    assertThat(world.inboxes.get("three").attached).isFalse();
    world.open().connect5("late", true, 0).expect("CONNACK 88");
  }

  @Test
  void shouldRedirectClientsToAnotherServerWhileDraining() {
    TestClient five = connect("five");
    TestClient silent = world.open().connect5("silent", true, 0);
    silent.next();
    TestClient three = world.open().connect3("three", true);
    three.next();
    world.sessions.startDraining("other.example:1883");
    world.sessions.disconnect(3);
    world.settle();
    five.expect("DISCONNECT 9c");
    assertThat(five.property(MqttProperties.SERVER_REFERENCE)).isEqualTo("other.example:1883");
    three.expect();
    assertThat(List.of(five.isOpen(), silent.isOpen(), three.isOpen())).containsOnly(false);
    world.open().connect5("late", true, 0).expect("CONNACK 9c");
  }

  @Test
  void shouldRedirectNoMoreClientsThanRequested() {
    List<TestClient> clients = List.of(connect("a"), connect("b"), connect("c"));
    world.sessions.startDraining("");
    world.sessions.disconnect(2);
    world.settle();
    assertThat(clients.stream().filter(TestClient::isOpen)).hasSize(1);
    TestClient gone = clients.stream().filter(one -> !one.isOpen()).findFirst().orElseThrow();
    gone.expect("DISCONNECT 9c");
    assertThat(gone.property(MqttProperties.SERVER_REFERENCE)).isNull();
  }

  @Test
  void shouldRedirectMoreClientsWhileEarlierOnesReleaseTheirSessions() {
    List<TestClient> clients = new ArrayList<>();
    for (String clientId : List.of("a", "b", "c")) {
      clients.add(world.open().connect5(clientId, false, 100));
    }
    world.tasks.hold();
    world.sessions.startDraining("");
    for (int left = 2; left >= 0; left--) {
      world.sessions.disconnect(1);
      world.settle();
      assertThat(clients.stream().filter(TestClient::isOpen)).hasSize(left);
    }
    assertThat(world.sessions.size()).isEqualTo(3);
    world.tasks.resume();
    world.settle();
    assertThat(world.sessions.size()).isZero();
  }
}
