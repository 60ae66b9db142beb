package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.netty.handler.codec.mqtt.MqttMessageType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Goal: messages of a share that a persistent session has not received when it ends go to another
 * member, at whichever node it is (MQTT 5.0 §4.8.2).
 */
class EndedMembersTest {
  private static final String SHARED = "$share/g/#";

  private final TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Creates an offline member whose inbox holds this many messages. */
  private void createOfflineMember(int messages, int qos) {
    createOfflineMember(messages, qos, "m");
  }

  private void createOfflineMember(int messages, int qos, String payload) {
    cluster.node(1).connectPersistent("away").subscribe(1, SHARED, qos).disconnect();
    TestClient publisher = cluster.node(0).connect("p");
    for (int i = 1; i <= messages; i++) {
      publisher.publish(i, qos, "a", payload + i);
      if (qos == 2) {
        publisher.reply(MqttMessageType.PUBREL, i);
      }
    }
    publisher.disconnect();
  }

  private void endSessionAtAnotherNode() {
    cluster.node(2).connect("away").disconnect(); // Clean Start at another node
    cluster.settle();
  }

  private static List<String> payloads(TestClient client) {
    List<String> found = new ArrayList<>();
    for (String packet : client.readAll()) {
      if (packet.startsWith("PUBLISH")) {
        found.add(packet.substring(packet.lastIndexOf(' ') + 1));
      }
    }
    return found;
  }

  @Test
  void shouldRedistributeMessagesToAConnectedMemberAtAnotherNode() {
    createOfflineMember(3, 1);
    TestClient other = cluster.node(2).connect("other").subscribe(1, SHARED, 1);
    other.readAll();
    endSessionAtAnotherNode();
    assertThat(payloads(other)).containsExactly("m1", "m2", "m3");
    assertThat(cluster.node(0).dropped).isEmpty();
  }

  @Test
  void shouldRedistributeMessagesToAPersistentMember() {
    createOfflineMember(3, 2);
    TestClient other = cluster.node(1).connectPersistent("other").subscribe(1, SHARED, 2);
    other.readAll();
    other.disconnect();
    endSessionAtAnotherNode();
    assertThat(payloads(cluster.node(2).open().connect5("other", false, 1_000)))
        .containsExactlyInAnyOrder("m1", "m2", "m3");
  }

  @Test
  void shouldRedistributeUnacknowledgedMessagesWhenTheSessionEnds() {
    TestClient leaving = cluster.node(1).connectPersistent("leaving").subscribe(1, SHARED, 2);
    leaving.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    publisher.publish(1, 1, "a", "with-1");
    publisher.publish(2, 2, "a", "with-2").reply(MqttMessageType.PUBREL, 2);
    assertThat(payloads(leaving)).containsExactly("with-1", "with-2");
    TestClient other = cluster.node(2).connect("other").subscribe(1, SHARED, 2);
    other.readAll();
    leaving.sendHex("e0 07 00 05 11 00 00 00 00"); // DISCONNECT, Session Expiry Interval 0
    cluster.settle();
    assertThat(payloads(other)).as("MQTT-4.8.2-5").containsExactly("with-1");
  }

  @Test
  void shouldNotLoseMessagesWhileTheStoresDoNotAnswer() {
    createOfflineMember(2, 1);
    cluster.node(1).connectPersistent("other").subscribe(1, SHARED, 1).disconnect();
    cluster.tasks.hold();
    TestClient clean = cluster.node(2).open().connect5("away", true, 0);
    cluster.advanceTime(Duration.ofSeconds(1));
    cluster.tasks.resume();
    cluster.settle();
    clean.readAll();
    assertThat(payloads(cluster.node(1).open().connect5("other", false, 1_000)))
        .as("messages of a share are not ordered")
        .containsExactlyInAnyOrder("m1", "m2");
  }

  /** The message exceeds the free queue space of a client that does not acknowledge. */
  @Test
  void shouldNotDisplaceNewerMessagesOfTheReceivingMember() {
    int window = 256;
    int more = 100;
    createOfflineMember(window + more, 1, "x".repeat(16 << 10));
    TestClient slow = cluster.node(2).connect("slow").subscribe(1, SHARED, 1);
    slow.readAll();
    endSessionAtAnotherNode();
    int sent = payloads(slow).size();
    assertThat(sent).isEqualTo(window);
    TestClient publisher = cluster.node(0).connect("p");
    for (int i = 1; i <= 20; i++) {
      publisher.publish(i, 1, "a", "y".repeat(16 << 10));
    }
    List<String> rest = new ArrayList<>();
    int acknowledged = 0;
    for (int announced = 0; announced < 5; announced++) {
      for (int received = sent + rest.size(); acknowledged < received; acknowledged++) {
        slow.reply(MqttMessageType.PUBACK, acknowledged + 1);
      }
      rest.addAll(payloads(slow));
      announceAgain();
      rest.addAll(payloads(slow));
    }
    assertThat(cluster.node(2).sessionObserver.dropped).isEmpty();
    assertThat(rest).hasSize(more + 20);
  }

  /** The queue still has room for newer messages, but not for this one. */
  @Test
  void shouldKeepAMessageThatIsTooLargeForTheQueueOfTheMember() {
    createOfflineMember(1, 1, "x".repeat(800 << 10));
    TestClient slow = cluster.node(2).connect("slow").subscribe(1, SHARED, 1);
    slow.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    int published = 256 + 20;
    for (int i = 1; i <= published; i++) {
      publisher.publish(i, 1, "a", "y".repeat(16 << 10));
    }
    endSessionAtAnotherNode();
    int sent = payloads(slow).size();
    assertThat(sent).isEqualTo(256);
    assertThat(cluster.node(2).sessionObserver.dropped).isEmpty();
    for (int i = 1; i <= sent; i++) {
      slow.reply(MqttMessageType.PUBACK, i);
    }
    List<String> rest = payloads(slow);
    assertThat(rest).hasSize(20);
    announceAgain();
    assertThat(payloads(slow)).singleElement().asString().hasSizeGreaterThan(800 << 10);
    assertThat(cluster.node(2).sessionObserver.dropped).isEmpty();
  }

  private void announceAgain() {
    cluster.advanceTime(Duration.ofSeconds(10));
    RangeClient client = cluster.client(InboxReplicas.STORE);
    new InboxSweeper(
            client,
            () -> client.locate(KeyInterval.ALL),
            (node, incarnation) -> true,
            cluster.ranges.timers(),
            InboxSettings.DEFAULT,
            InboxObserver.NONE)
        .sweep();
    cluster.settle();
  }

  @Test
  void shouldCountMessagesOnceWhenNoMemberIsLeft() {
    createOfflineMember(2, 1);
    endSessionAtAnotherNode();
    assertThat(cluster.node(0).dropped).isEqualTo(Map.of("no_share_member", 2L));
  }
}
