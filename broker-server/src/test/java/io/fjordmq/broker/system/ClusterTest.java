package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.exceptions.Mqtt5DisconnectException;
import com.hivemq.client.mqtt.mqtt5.message.disconnect.Mqtt5DisconnectReasonCode;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Three running nodes: clients get the same service at each of them. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClusterTest {
  private static final int MESSAGES = 100;

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    cluster = ClusterUnderTest.startIn(directory, 3, "");
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  private Mqtt5Session client(int node, String name) {
    return new Mqtt5Session(cluster.node(node).mqtt(), name);
  }

  private Mqtt5Session connected(int node, String name) {
    Mqtt5Session session = client(node, name);
    session.connect();
    return session;
  }

  @ParameterizedTest
  @EnumSource(MqttQos.class)
  void shouldDeliverToSubscribersAtEveryNode(MqttQos qos) {
    String topic = "everywhere/" + qos.getCode();
    try (Mqtt5Session one = connected(1, "every-one");
        Mqtt5Session two = connected(2, "every-two");
        Mqtt5Session three = connected(3, "every-three")) {
      List<Mqtt5Session> all = List.of(one, two, three);
      all.forEach(session -> session.subscribe(topic, qos));
      for (int number = 0; number < MESSAGES; number++) {
        all.get(number % 3).publish(topic, qos, Integer.toString(number));
      }
      for (Mqtt5Session session : all) {
        List<Integer> got = new ArrayList<>();
        for (int number = 0; number < MESSAGES; number++) {
          got.add(Integer.valueOf(session.nextText()));
        }
        assertThat(got).containsExactlyInAnyOrderElementsOf(numbers());
        for (int publisher = 0; publisher < 3; publisher++) {
          int from = publisher;
          assertThat(got.stream().filter(number -> number % 3 == from)).isSorted();
        }
      }
    }
  }

  private static Set<Integer> numbers() {
    Set<Integer> numbers = new TreeSet<>();
    for (int number = 0; number < MESSAGES; number++) {
      numbers.add(number);
    }
    return numbers;
  }

  @Test
  void shouldDeliverEveryMessageAfterTheSuback() {
    try (Mqtt5Session publisher = connected(2, "at-once-publisher");
        Mqtt5Session subscriber = connected(1, "at-once-subscriber")) {
      for (int number = 0; number < MESSAGES; number++) {
        String topic = "at/once/" + number;
        subscriber.subscribe(topic, MqttQos.AT_LEAST_ONCE);
        publisher.publish(topic, MqttQos.AT_LEAST_ONCE, "now " + number);
        assertThat(subscriber.nextText()).isEqualTo("now " + number);
      }
    }
  }

  @Test
  void shouldResumeAPersistentSessionAtAnyNode() {
    try (Mqtt5Session here = client(1, "wanderer")) {
      here.connect(connect -> connect.sessionExpiryInterval(3_600));
      here.subscribe("wanderer/#", MqttQos.EXACTLY_ONCE);
      here.disconnect();
    }
    try (Mqtt5Session publisher = connected(3, "for-the-wanderer")) {
      publisher.publish("wanderer/1", MqttQos.AT_LEAST_ONCE, "one");
      publisher.publish("wanderer/2", MqttQos.EXACTLY_ONCE, "two");
    }
    try (Mqtt5Session there = client(2, "wanderer")) {
      boolean present =
          there
              .connect(connect -> connect.cleanStart(false).sessionExpiryInterval(0))
              .isSessionPresent();
      assertThat(present).isTrue();
      assertThat(List.of(there.nextText(), there.nextText())).containsExactly("one", "two");
      try (Mqtt5Session publisher = connected(1, "still-for-the-wanderer")) {
        publisher.publish("wanderer/3", MqttQos.AT_LEAST_ONCE, "three");
      }
      assertThat(there.nextText()).isEqualTo("three");
    }
  }

  @Test
  void shouldCloseTheOlderConnectionOfACleanSessionAtAnotherNode() {
    try (Mqtt5Session older = connected(1, "twice");
        Mqtt5Session newer = connected(2, "twice")) {
      assertTakenOver(older);
      newer.subscribe("twice", MqttQos.AT_LEAST_ONCE);
      try (Mqtt5Session publisher = connected(1, "for-twice")) {
        publisher.publish("twice", MqttQos.AT_LEAST_ONCE, "still here");
      }
      assertThat(newer.nextText()).isEqualTo("still here");
    }
  }

  @Test
  void shouldCloseTheOlderConnectionOfAPersistentSessionAtAnotherNode() {
    try (Mqtt5Session older = client(1, "moved");
        Mqtt5Session newer = client(3, "moved")) {
      older.connect(connect -> connect.sessionExpiryInterval(3_600));
      older.subscribe("moved", MqttQos.EXACTLY_ONCE);
      assertThat(
              newer
                  .connect(connect -> connect.cleanStart(false).sessionExpiryInterval(0))
                  .isSessionPresent())
          .isTrue();
      assertTakenOver(older);
      try (Mqtt5Session publisher = connected(2, "for-moved")) {
        publisher.publish("moved", MqttQos.EXACTLY_ONCE, "once");
      }
      assertThat(newer.nextText()).isEqualTo("once");
      assertThat(newer.poll(300)).isNull();
    }
  }

  private static void assertTakenOver(Mqtt5Session older) {
    assertThat(older.disconnectCause())
        .isInstanceOfSatisfying(
            Mqtt5DisconnectException.class,
            disconnect ->
                assertThat(disconnect.getMqttMessage().getReasonCode())
                    .isEqualTo(Mqtt5DisconnectReasonCode.SESSION_TAKEN_OVER));
  }

  @Test
  void shouldDeliverEachMessageToOneShareMemberAtAnyNode() {
    try (Mqtt5Session one = connected(1, "share-one");
        Mqtt5Session two = connected(2, "share-two");
        Mqtt5Session three = client(3, "share-three");
        Mqtt5Session publisher = connected(2, "share-publisher")) {
      three.connect(connect -> connect.sessionExpiryInterval(60));
      List<Mqtt5Session> members = List.of(one, two, three);
      members.forEach(m -> m.subscribe("$share/group/shared", MqttQos.AT_LEAST_ONCE));
      for (int number = 0; number < MESSAGES; number++) {
        publisher.publish("shared", MqttQos.AT_LEAST_ONCE, Integer.toString(number));
      }
      Await.until(
          "every message",
          Mqtt5Session.WAIT_SECONDS,
          () -> members.stream().mapToInt(Mqtt5Session::queuedMessages).sum() >= MESSAGES);
      List<Integer> got = new ArrayList<>();
      for (Mqtt5Session member : members) {
        int before = got.size();
        for (Mqtt5Publish next = member.poll(1_000); next != null; next = member.poll(500)) {
          got.add(Integer.valueOf(Mqtt5Session.text(next)));
        }
        assertThat(got.size()).as("number of messages of this member").isGreaterThan(before);
      }
      assertThat(got).containsExactlyInAnyOrderElementsOf(numbers());
    }
  }

  @Test
  void shouldSendRetainedMessagesToSubscribersAtEveryNode() {
    try (Mqtt5Session publisher = connected(1, "retainer")) {
      for (int number = 0; number < 20; number++) {
        publisher.publish(
            "retained/" + number,
            MqttQos.AT_LEAST_ONCE,
            Integer.toString(number),
            publish -> publish.retain(true));
      }
    }
    for (int node = 1; node <= 3; node++) {
      try (Mqtt5Session late = connected(node, "late-" + node)) {
        late.subscribe("retained/+", MqttQos.AT_LEAST_ONCE);
        Set<String> got = new TreeSet<>();
        for (int number = 0; number < 20; number++) {
          got.add(late.nextText());
        }
        assertThat(got).hasSize(20);
      }
    }
  }

  @Test
  void shouldShowNodesAndRangesAtEveryNode() {
    for (BrokerUnderTest node : cluster.nodes()) {
      Scrape.Response page = Scrape.get(node.httpPort(), "/status");
      assertThat(page.status()).isEqualTo(200);
      assertThat(page.body()).startsWith("FjordMQ ");
      assertThat(page.body().lines().filter(line -> line.contains(" up "))).hasSize(3);
      assertThat(page.body()).contains("dist", "inbox", "retain", "leader", "voters");
    }
  }

  @Test
  void shouldLogNothingAboveWarn() {
    assertThat(cluster.output()).doesNotContain(" ERROR ");
  }
}
