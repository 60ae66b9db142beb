package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.connect.connack.Mqtt5ConnAck;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5Disconnect;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PayloadFormatIndicator;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5PublishResult;
import com.hivemq.client.mqtt.mqtt5.message.publish.puback.Mqtt5PubAckReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5RetainHandling;
import io.fjordmq.broker.system.SharedBroker.Port;
import io.fjordmq.testing.Await;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** MQTT 5.0 as the HiveMQ client sees it. */
@Tag("slow")
@ExtendWith(SharedBroker.class)
class Mqtt5ClientTest {
  private static final int WAIT = Mqtt5Session.WAIT_SECONDS;
  private static final long QUIET_MILLIS = 700;

  private final Port port;
  private String topic = "";

  Mqtt5ClientTest(Port port) {
    this.port = port;
  }

  @BeforeEach
  void chooseTopic(TestInfo test) {
    topic = "t5/" + test.getTestMethod().orElseThrow().getName() + "/" + UUID.randomUUID();
  }

  private Mqtt5Session session(String name) {
    return new Mqtt5Session(port, name + "-" + topic.hashCode());
  }

  @ParameterizedTest
  @EnumSource(MqttQos.class)
  void shouldDeliverMessageWithAllItsPropertiesAtEveryQos(MqttQos qos) {
    try (Mqtt5Session subscriber = session("s");
        Mqtt5Session publisher = session("p")) {
      subscriber.connect();
      publisher.connect();
      subscriber.subscribe(topic, qos);
      publisher.publish(
          topic,
          qos,
          "grüße",
          publish ->
              publish
                  .contentType("text/plain")
                  .responseTopic("answers/here")
                  .correlationData(new byte[] {1, 2, 3})
                  .payloadFormatIndicator(Mqtt5PayloadFormatIndicator.UTF_8)
                  .userProperties()
                  .add("a", "1")
                  .add("a", "2")
                  .applyUserProperties());
      Mqtt5Publish got = subscriber.next();
      assertThat(Mqtt5Session.text(got)).isEqualTo("grüße");
      assertThat(got.getTopic().toString()).isEqualTo(topic);
      assertThat(got.getQos()).isEqualTo(qos);
      assertThat(got.isRetain()).isFalse();
      assertThat(got.getContentType().orElseThrow().toString()).isEqualTo("text/plain");
      assertThat(got.getResponseTopic().orElseThrow().toString()).isEqualTo("answers/here");
      assertThat(got.getCorrelationData().orElseThrow())
          .isEqualTo(ByteBuffer.wrap(new byte[] {1, 2, 3}));
      assertThat(got.getPayloadFormatIndicator()).contains(Mqtt5PayloadFormatIndicator.UTF_8);
      assertThat(got.getUserProperties().asList())
          .extracting(p -> p.getName() + "=" + p.getValue())
          .containsExactly("a=1", "a=2");
      assertThat(subscriber.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldLowerQosToWhatTheSubscriptionGrants() {
    try (Mqtt5Session subscriber = session("s");
        Mqtt5Session publisher = session("p")) {
      subscriber.connect();
      publisher.connect();
      subscriber.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      publisher.publish(topic, MqttQos.EXACTLY_ONCE, "x");
      publisher.publish(topic, MqttQos.AT_MOST_ONCE, "y");
      Mqtt5Publish first = subscriber.next();
      Mqtt5Publish second = subscriber.next();
      assertThat(List.of(first.getQos(), second.getQos()))
          .containsExactlyInAnyOrder(MqttQos.AT_LEAST_ONCE, MqttQos.AT_MOST_ONCE);
    }
  }

  @Test
  void shouldReturnNoMatchingSubscribers() {
    try (Mqtt5Session publisher = session("p")) {
      publisher.connect();
      Mqtt5PublishResult result = publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "x");
      assertThat(((Mqtt5PublishResult.Mqtt5Qos1Result) result).getPubAck().getReasonCode())
          .isEqualTo(Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS);
    }
  }

  @Test
  void shouldKeepOrderOfAPublisher() {
    try (Mqtt5Session subscriber = session("s");
        Mqtt5Session publisher = session("p")) {
      subscriber.connect();
      publisher.connect();
      subscriber.subscribe(topic, MqttQos.EXACTLY_ONCE);
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 300; i++) {
        sent.add("m" + i);
        publisher
            .client()
            .publishWith()
            .topic(topic)
            .qos(MqttQos.EXACTLY_ONCE)
            .payload(("m" + i).getBytes(StandardCharsets.UTF_8))
            .send();
      }
      List<String> got = new ArrayList<>();
      for (int i = 0; i < sent.size(); i++) {
        got.add(subscriber.nextText());
      }
      assertThat(got).isEqualTo(sent);
    }
  }

  @Test
  void shouldMatchWildcards() {
    try (Mqtt5Session plus = session("plus");
        Mqtt5Session hash = session("hash");
        Mqtt5Session publisher = session("p")) {
      plus.connect();
      hash.connect();
      publisher.connect();
      plus.subscribe(topic + "/+/end", MqttQos.AT_LEAST_ONCE);
      hash.subscribe(topic + "/#", MqttQos.AT_LEAST_ONCE);
      publisher.publish(topic + "/a/end", MqttQos.AT_LEAST_ONCE, "both");
      publisher.publish(topic + "/a/b/end", MqttQos.AT_LEAST_ONCE, "hash");
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "parent");
      assertThat(plus.nextText()).isEqualTo("both");
      assertThat(List.of(hash.nextText(), hash.nextText(), hash.nextText()))
          .containsExactly("both", "hash", "parent");
      assertThat(plus.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldStopDeliveryAfterUnsubscribe() {
    try (Mqtt5Session subscriber = session("s");
        Mqtt5Session publisher = session("p")) {
      subscriber.connect();
      publisher.connect();
      subscriber.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      Mqtt5Session.await(subscriber.client().unsubscribeWith().topicFilter(topic).send());
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "x");
      assertThat(subscriber.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldReplayRetainedMessageUntilItIsCleared() {
    try (Mqtt5Session publisher = session("p");
        Mqtt5Session early = session("early");
        Mqtt5Session late = session("late")) {
      publisher.connect();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "old", p -> p.retain(true));
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "kept", p -> p.retain(true));
      early.connect();
      early.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      Mqtt5Publish got = early.next();
      assertThat(Mqtt5Session.text(got)).isEqualTo("kept");
      assertThat(got.isRetain()).isTrue();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "", p -> p.retain(true));
      late.connect();
      late.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      assertThat(late.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldHonorRetainHandlingAndRetainAsPublished() {
    try (Mqtt5Session publisher = session("p");
        Mqtt5Session never = session("never");
        Mqtt5Session ifNew = session("ifnew")) {
      publisher.connect();
      never.connect();
      ifNew.connect();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "kept", p -> p.retain(true));
      never.subscribe(
          topic,
          MqttQos.AT_LEAST_ONCE,
          s -> s.retainHandling(Mqtt5RetainHandling.DO_NOT_SEND).retainAsPublished(true));
      assertThat(never.poll(QUIET_MILLIS)).isNull();
      for (int i = 0; i < 2; i++) {
        ifNew.subscribe(
            topic,
            MqttQos.AT_LEAST_ONCE,
            s -> s.retainHandling(Mqtt5RetainHandling.SEND_IF_SUBSCRIPTION_DOES_NOT_EXIST));
      }
      assertThat(ifNew.nextText()).isEqualTo("kept");
      assertThat(ifNew.poll(QUIET_MILLIS)).isNull();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "live", p -> p.retain(true));
      assertThat(never.next().isRetain()).as("retain as published").isTrue();
      assertThat(ifNew.next().isRetain()).as("not as published").isFalse();
    }
  }

  @Test
  void shouldNotSendOwnMessagesBackWithNoLocal() {
    try (Mqtt5Session both = session("both");
        Mqtt5Session other = session("other")) {
      both.connect();
      other.connect();
      both.subscribe(topic, MqttQos.AT_LEAST_ONCE, s -> s.noLocal(true));
      both.publish(topic, MqttQos.AT_LEAST_ONCE, "mine");
      other.publish(topic, MqttQos.AT_LEAST_ONCE, "theirs");
      assertThat(both.nextText()).isEqualTo("theirs");
      assertThat(both.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldDeliverEachMessageToOneMemberOfAShare() {
    try (Mqtt5Session one = session("one");
        Mqtt5Session two = session("two");
        Mqtt5Session publisher = session("p")) {
      one.connect();
      two.connect();
      publisher.connect();
      one.subscribe("$share/workers/" + topic, MqttQos.AT_LEAST_ONCE);
      two.subscribe("$share/workers/" + topic, MqttQos.AT_LEAST_ONCE);
      for (int i = 0; i < 20; i++) {
        publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "m" + i);
      }
      Set<String> seen = new HashSet<>();
      Await.until("all messages", WAIT, () -> one.queuedMessages() + two.queuedMessages() >= 20);
      int byOne = drain(one, seen);
      int byTwo = drain(two, seen);
      assertThat(byOne + byTwo).isEqualTo(20);
      assertThat(seen).hasSize(20);
      assertThat(byOne).isPositive();
      assertThat(byTwo).isPositive();
    }
  }

  private static int drain(Mqtt5Session session, Set<String> into) {
    int count = 0;
    for (Mqtt5Publish p = session.poll(QUIET_MILLIS); p != null; p = session.poll(QUIET_MILLIS)) {
      into.add(Mqtt5Session.text(p));
      count++;
    }
    return count;
  }

  @ParameterizedTest
  @EnumSource(
      value = MqttQos.class,
      names = {"AT_LEAST_ONCE", "EXACTLY_ONCE"})
  void shouldQueueForPersistentSessionWhileItIsOffline(MqttQos qos) {
    String name = "s" + qos.getCode();
    try (Mqtt5Session publisher = session("p")) {
      publisher.connect();
      try (Mqtt5Session away = session(name)) {
        assertThat(away.connect(c -> c.sessionExpiryInterval(300)).isSessionPresent()).isFalse();
        away.subscribe(topic, qos);
        away.disconnect();
      }
      List<String> sent = new ArrayList<>();
      for (int i = 0; i < 50; i++) {
        sent.add("m" + i);
        publisher.publish(topic, qos, "m" + i);
      }
      try (Mqtt5Session back = session(name)) {
        Mqtt5ConnAck connAck = back.connect(c -> c.cleanStart(false).sessionExpiryInterval(300));
        assertThat(connAck.isSessionPresent()).isTrue();
        List<String> got = new ArrayList<>();
        for (int i = 0; i < sent.size(); i++) {
          got.add(back.nextText());
        }
        assertThat(got).isEqualTo(sent);
        publisher.publish(topic, qos, "live");
        assertThat(back.nextText()).isEqualTo("live");
        assertThat(back.poll(QUIET_MILLIS)).isNull();
      }
    }
  }

  @Test
  void shouldDiscardSessionAtCleanStart() {
    try (Mqtt5Session first = session("s")) {
      first.connect(c -> c.sessionExpiryInterval(300));
      first.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      first.disconnect();
    }
    try (Mqtt5Session again = session("s");
        Mqtt5Session publisher = session("p")) {
      assertThat(again.connect(c -> c.cleanStart(true)).isSessionPresent()).isFalse();
      publisher.connect();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "x");
      assertThat(again.poll(QUIET_MILLIS)).isNull();
    }
  }

  @Test
  void shouldDiscardExpiredSession() {
    try (Mqtt5Session first = session("s")) {
      first.connect(c -> c.sessionExpiryInterval(1));
      first.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      first.disconnect();
    }
    Await.until(
        "the end of the session",
        WAIT,
        () -> {
          try (Mqtt5Session publisher = session("p")) {
            publisher.connect();
            Mqtt5PublishResult result = publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "probe");
            return ((Mqtt5PublishResult.Mqtt5Qos1Result) result).getPubAck().getReasonCode()
                == Mqtt5PubAckReasonCode.NO_MATCHING_SUBSCRIBERS;
          }
        });
    try (Mqtt5Session again = session("s")) {
      assertThat(again.connect(c -> c.cleanStart(false)).isSessionPresent()).isFalse();
    }
  }

  @Test
  void shouldCloseOlderConnectionOfTheSameClient() {
    try (Mqtt5Session older = session("s");
        Mqtt5Session newer = session("s")) {
      older.connect(c -> c.sessionExpiryInterval(60));
      assertThat(
              newer.connect(c -> c.cleanStart(false).sessionExpiryInterval(60)).isSessionPresent())
          .isTrue();
      Throwable cause = older.disconnectCause();
      assertThat(cause).isInstanceOf(Mqtt5DisconnectException.class);
      assertThat(((Mqtt5DisconnectException) cause).getMqttMessage().getReasonCode())
          .isEqualTo(Mqtt5DisconnectReasonCode.SESSION_TAKEN_OVER);
    }
  }

  @Test
  void shouldAssignClientIdentifier() {
    try (Mqtt5Session anonymous = new Mqtt5Session(port, null)) {
      Mqtt5ConnAck connAck = anonymous.connect();
      assertThat(connAck.getAssignedClientIdentifier()).isPresent();
    }
  }

  @Test
  void shouldPublishWillWhenConnectionBreaks() {
    try (Link link = new Link(port);
        Mqtt5Session watcher = session("w")) {
      watcher.connect();
      watcher.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      Mqtt5Session dying = new Mqtt5Session(link.port(), "dying-" + topic.hashCode());
      dying.connect(c -> will(c, 0));
      link.cut();
      assertThat(watcher.nextText()).isEqualTo("gone");
    }
  }

  @Test
  void shouldNotPublishWillAfterNormalDisconnectButAfterDisconnectWithWill() {
    try (Mqtt5Session watcher = session("w")) {
      watcher.connect();
      watcher.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      Mqtt5Session polite = session("d");
      polite.connect(c -> will(c, 0));
      polite.disconnect();
      assertThat(watcher.poll(QUIET_MILLIS)).isNull();
      Mqtt5Session withWill = session("d");
      withWill.connect(c -> will(c, 0));
      withWill.disconnect(
          Mqtt5Disconnect.builder()
              .reasonCode(Mqtt5DisconnectReasonCode.DISCONNECT_WITH_WILL_MESSAGE)
              .build());
      assertThat(watcher.nextText()).isEqualTo("gone");
    }
  }

  @Test
  void shouldDelayWillAndCancelItWhenTheClientReturns() {
    try (Link link = new Link(port);
        Mqtt5Session watcher = session("w")) {
      watcher.connect();
      watcher.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      Mqtt5Session dying = new Mqtt5Session(link.port(), "dying-" + topic.hashCode());
      dying.connect(c -> will(c, 5).sessionExpiryInterval(60));
      link.cut();
      assertThat(watcher.poll(QUIET_MILLIS)).as("not before its delay").isNull();
      Mqtt5Session back = new Mqtt5Session(link.port(), "dying-" + topic.hashCode());
      back.connect(c -> will(c, 1).cleanStart(false).sessionExpiryInterval(60));
      assertThat(watcher.poll(6_000)).as("canceled when the client returned").isNull();
      link.cut();
      assertThat(watcher.nextText()).isEqualTo("gone");
      assertThat(watcher.poll(QUIET_MILLIS)).as("once").isNull();
    }
  }

  private com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder will(
      com.hivemq.client.mqtt.mqtt5.message.connect.Mqtt5ConnectBuilder connect, long delay) {
    return connect
        .willPublish()
        .topic(topic)
        .qos(MqttQos.AT_LEAST_ONCE)
        .payload("gone".getBytes(StandardCharsets.UTF_8))
        .delayInterval(delay)
        .applyWillPublish();
  }

  @Test
  void shouldDropExpiredMessageAndCountDownTheOthers() {
    try (Mqtt5Session publisher = session("p")) {
      publisher.connect();
      try (Mqtt5Session away = session("s")) {
        away.connect(c -> c.sessionExpiryInterval(300));
        away.subscribe(topic, MqttQos.AT_LEAST_ONCE);
        away.disconnect();
      }
      long sentAt = System.nanoTime();
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "brief", p -> p.messageExpiryInterval(1));
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "long", p -> p.messageExpiryInterval(100));
      Await.until(
          "the second",
          WAIT,
          () -> System.nanoTime() - sentAt > Duration.ofMillis(2_100).toNanos());
      try (Mqtt5Session back = session("s")) {
        back.connect(c -> c.cleanStart(false).sessionExpiryInterval(300));
        Mqtt5Publish got = back.next();
        assertThat(Mqtt5Session.text(got)).isEqualTo("long");
        assertThat(got.getMessageExpiryInterval().orElseThrow()).isBetween(80L, 98L);
      }
    }
  }

  @Test
  void shouldHonorTheReceiveMaximumOfTheClient() {
    try (Mqtt5Session publisher = session("p");
        Mqtt5Session slow = session("s")) {
      publisher.connect();
      slow.connect(c -> c.restrictions().receiveMaximum(2).applyRestrictions());
      List<Mqtt5Publish> held = new java.util.concurrent.CopyOnWriteArrayList<>();
      Mqtt5Session.await(
          slow.client()
              .subscribeWith()
              .topicFilter(topic)
              .qos(MqttQos.AT_LEAST_ONCE)
              .callback(held::add)
              .manualAcknowledgement(true)
              .send());
      for (int i = 0; i < 6; i++) {
        publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "m" + i);
      }
      Await.until("two messages", WAIT, () -> held.size() == 2);
      long since = System.nanoTime();
      Await.until(
          "a quiet time", WAIT, () -> System.nanoTime() - since > Duration.ofMillis(500).toNanos());
      assertThat(held).as("no third before an acknowledgement").hasSize(2);
      for (int i = 0; i < 6; i++) {
        int next = i;
        Await.until("message " + i, WAIT, () -> held.size() > next);
        held.get(i).acknowledge();
      }
      assertThat(held).extracting(Mqtt5Session::text).startsWith("m0", "m1", "m2");
    }
  }

  @Test
  void shouldHonorTheMaximumPacketSizeOfTheClient() {
    try (Mqtt5Session publisher = session("p");
        Mqtt5Session small = session("s")) {
      publisher.connect();
      small.connect(c -> c.restrictions().maximumPacketSize(300).applyRestrictions());
      small.subscribe(topic, MqttQos.AT_LEAST_ONCE);
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "x".repeat(400));
      publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "fits");
      assertThat(small.nextText()).isEqualTo("fits");
    }
  }

  @Test
  void shouldResolveTopicAliases() {
    try (Mqtt5Session publisher = session("p");
        Mqtt5Session subscriber = session("s")) {
      publisher.connect(c -> c.restrictions().sendTopicAliasMaximum(5).applyRestrictions());
      subscriber.connect(c -> c.restrictions().topicAliasMaximum(5).applyRestrictions());
      subscriber.subscribe(topic + "/#", MqttQos.AT_LEAST_ONCE);
      for (int i = 0; i < 20; i++) {
        publisher.publish(topic + "/" + i % 3, MqttQos.AT_LEAST_ONCE, "m" + i);
      }
      for (int i = 0; i < 20; i++) {
        Mqtt5Publish got = subscriber.next();
        assertThat(got.getTopic().toString()).isEqualTo(topic + "/" + i % 3);
        assertThat(Mqtt5Session.text(got)).isEqualTo("m" + i);
      }
    }
  }

  @Test
  void shouldRejectPacketsLargerThanItsMaximumPacketSize() {
    try (Mqtt5Session publisher = session("p")) {
      Mqtt5ConnAck connAck = publisher.connect();
      int maximum = connAck.getRestrictions().getMaximumPacketSize();
      assertThat(maximum).as("announced").isLessThan(268_435_460);
      assertThatThrownBy(() -> publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "x".repeat(maximum)))
          .as("the client itself keeps to what was announced")
          .isInstanceOf(AssertionError.class);
    }
  }
}
