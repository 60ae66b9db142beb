package io.fjordmq.broker.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.nodes.NodesSettings;
import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.testing.RecordBuilder;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttProperties;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: clients of different nodes see one broker, whatever happens between the nodes. */
class SeveralNodesTest {
  private static final NodesSettings SMALL =
      RecordBuilder.from(NodesSettings.DEFAULTS)
          .with(NodesSettings::maxBatchItems, 100)
          .with(NodesSettings::maxBatchBytes, 1_000)
          .with(NodesSettings::highWaterBytes, 500)
          .with(NodesSettings::maxQueuedBytes, 2_000)
          .with(NodesSettings::maxQueuedNotices, 100)
          .with(NodesSettings::maxLaggingSessions, 10)
          .with(NodesSettings::publishTimeout, Duration.ofSeconds(15))
          .with(NodesSettings::responseTimeout, Duration.ofSeconds(5))
          .with(NodesSettings::resendAfter, Duration.ofMillis(100))
          .build();

  private TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  private void useSmallStreams() {
    cluster.close();
    cluster = new TestCluster(2, SMALL, DeliverySettings.DEFAULTS);
  }

  private static List<String> payloads(TestClient client) {
    return client.readAll().stream()
        .filter(packet -> packet.startsWith("PUBLISH"))
        .map(packet -> packet.substring(packet.lastIndexOf(' ') + 1))
        .toList();
  }

  @Test
  void shouldDeliverToLiveSubscribersOfAllNodes() {
    TestClient here = cluster.node(0).connect("here").subscribe(1, "a/#", 1);
    TestClient there = cluster.node(1).connect("there").subscribe(1, "a/+", 2);
    TestClient many = cluster.node(2).connect("many").subscribe(1, "a/b", 0);
    Stream.of(here, there, many).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    publisher.publish(0, 0, "a/b", "zero").publish(1, 1, "a/b", "one").publish(2, 2, "a/b", "two");
    assertThat(payloads(here)).containsExactly("zero", "one", "two");
    there.expect("PUBLISH q0 a/b zero", "PUBLISH q1 id=1 a/b one", "PUBLISH q2 id=2 a/b two");
    many.expect("PUBLISH q0 a/b zero", "PUBLISH q0 a/b one", "PUBLISH q0 a/b two");
    publisher.expect("PUBACK 1", "PUBREC 2");
  }

  @Test
  void shouldDeliverToPersistentSessionsAtAnyNode() {
    TestClient subscriber = cluster.node(1).connectPersistent("s").subscribe(1, "a", 1);
    subscriber.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    publisher.publish(1, 1, "a", "one").publish(0, 0, "a", "zero");
    assertThat(payloads(subscriber)).containsExactlyInAnyOrder("one", "zero");
    subscriber.reply(MqttMessageType.PUBACK, 1).disconnect();
    publisher.publish(2, 1, "a", "while away");
    publisher.expect("PUBACK 1", "PUBACK 2");
    TestClient again = cluster.node(2).open().connect5("s", false, 1_000);
    again.expect("CONNACK 0 present", "PUBLISH q1 id=2 a while away");
    cluster.node(1).connect("p2").publish(0, 0, "a", "live");
    again.expect("PUBLISH q0 a live");
  }

  @Test
  void shouldAcknowledgeWithoutANodeWhoseSessionsReadFromTheirInboxes() {
    TestClient persistent = cluster.node(1).connectPersistent("s").subscribe(1, "a/+", 1);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    publisher.publish(1, 1, "a/b", "one").expect("PUBACK 1");
    cluster.heal();
    assertThat(payloads(persistent)).containsExactly("one");
    TestClient live = cluster.node(1).connect("live").subscribe(1, "a/+", 1);
    live.readAll();
    cluster.cut(0, 1);
    publisher.publish(2, 1, "a/b", "two").expect();
    cluster.heal();
    publisher.expect("PUBACK 2");
    assertThat(payloads(live)).containsExactly("two");
    live.disconnect();
    publisher.publish(0, 0, "a/b", "zero");
    assertThat(payloads(persistent)).contains("two", "zero");
  }

  @Test
  void shouldDeliverHigherQosMessagesToPersistentSubscriptionsWithQos0() {
    cluster.node(1).connectPersistent("other").subscribe(1, "a", 1).readAll();
    TestClient subscriber = cluster.node(1).connectPersistent("s").subscribe(1, "a", 0);
    subscriber.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    publisher.publish(0, 0, "a", "0").publish(1, 1, "a", "1").publish(2, 2, "a", "2");
    publisher.expect("PUBACK 1", "PUBREC 2");
    subscriber.expect("PUBLISH q0 a 0", "PUBLISH q0 a 1", "PUBLISH q0 a 2");

    subscriber.subscribe(2, "a", 1).expect("SUBACK 2 [1]");
    publisher.publish(3, 1, "a", "3").expect("PUBACK 3");
    subscriber.expect("PUBLISH q1 id=1 a 3");
    subscriber.subscribe(3, "a", 0).expect("SUBACK 3 [0]");
    publisher.publish(4, 1, "a", "4").expect("PUBACK 4");
    subscriber.expect("PUBLISH q0 a 4");
    subscriber.subscribe(4, "+", 1).expect("SUBACK 4 [1]");
    publisher.publish(5, 1, "a", "5").expect("PUBACK 5");
    subscriber.expect("PUBLISH q1 id=2 a 5");
    assertThat(cluster.node(0).dropped).isEmpty();
  }

  @Test
  void shouldCountMessagesThatAnOfflineQos0SubscriptionMisses() {
    cluster.node(1).connectPersistent("other").subscribe(1, "a", 1).readAll();
    cluster.node(2).connectPersistent("s").subscribe(1, "a", 0).disconnect();
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
    assertThat(cluster.node(0).dropped).containsEntry("qos0_offline", 1L);
  }

  @Test
  void shouldLoseNothingWhileASubscriptionOfAPersistentSessionIsReplaced() {
    TestClient subscriber = cluster.node(1).connectPersistent("s").subscribe(1, "a", 1);
    TestClient member = cluster.node(1).connectPersistent("m").subscribe(1, "$share/g/a", 1);
    Stream.of(subscriber, member).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    List<String> sent = new ArrayList<>();
    for (int i = 1; i <= 4; i++) {
      cluster.pauseRouteApply(
          2); // matches the new routes later than the others, so the SUBACKs wait
      subscriber.subscribe(i + 1, "a", (i + 1) % 2);
      member.subscribe(i + 1, "$share/g/a", (i + 1) % 2);
      publisher.publish(i, 1, "a", "m" + i).expect("PUBACK " + i);
      sent.add("m" + i);
      cluster.resumeRouteApply(2);
    }
    assertThat(new LinkedHashSet<>(payloads(subscriber))).containsExactlyElementsOf(sent);
    assertThat(new LinkedHashSet<>(payloads(member))).containsExactlyElementsOf(sent);
    assertThat(cluster.node(0).dropped).isEmpty();
  }

  @Test
  void shouldServeRetainedMessagesFromAnyNode() {
    TestClient publisher = cluster.node(0).connect("p");
    publisher.publish(1, 1, "a", "kept", true, false, MqttProperties.NO_PROPERTIES);
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 1);
    assertThat(subscriber.readAll()).contains("PUBLISH q1 retain id=1 a kept");
  }

  @Test
  void shouldAcknowledgeASubscriptionWhenEveryNodeMatchesIt() {
    Random random = new Random(7);
    List<TestClient> publishers =
        List.of(
            cluster.node(0).connect("p0"),
            cluster.node(1).connect("p1"),
            cluster.node(2).connect("p2"));
    TestClient subscriber = cluster.node(2).connect("s");
    int early = 0;
    for (int i = 0; i < 200; i++) {
      boolean late = random.nextBoolean();
      if (late) {
        cluster.pauseRouteApply(1);
      }
      subscriber.subscribe(i + 1, "t/" + i, 0);
      if (late) {
        early += subscriber.readAll().isEmpty() ? 0 : 1;
        cluster.resumeRouteApply(1);
      }
      subscriber.expect("SUBACK " + (i + 1) + " [0]");
      TestClient publisher = publishers.get(random.nextInt(3));
      publisher.publish(0, 0, "t/" + i, "m" + i);
      subscriber.expect("PUBLISH q0 t/" + i + " m" + i);
    }
    assertThat(early).as("acknowledged though node 1 did not match it").isZero();
  }

  @Test
  void shouldAcknowledgeAPersistentSubscriptionWhenEveryNodeMatchesIt() {
    cluster.pauseRouteApply(1);
    TestClient subscriber = cluster.node(2).connectPersistent("s").subscribe(1, "a", 1);
    assertThat(subscriber.readAll()).isEmpty();
    cluster.resumeRouteApply(1);
    subscriber.expect("SUBACK 1 [1]");
    cluster.node(1).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
    subscriber.expect("PUBLISH q1 id=1 a m");
  }

  @Test
  void shouldKeepOrderWithoutDuplicatesAcrossATemporaryPartition() {
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 1);
    subscriber.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    List<String> sent = new ArrayList<>();
    for (int i = 1; i <= 30; i++) {
      if (i == 10) {
        cluster.cut(0, 1);
      }
      publisher.publish(i, 1, "a", "m" + i);
      sent.add("m" + i);
    }
    assertThat(publisher.readAll()).as("other messages are not acknowledged").hasSize(9);
    cluster.advanceTime(Duration.ofSeconds(1));
    cluster.heal();
    assertThat(publisher.readAll()).hasSize(21).startsWith("PUBACK 10").endsWith("PUBACK 30");
    assertThat(payloads(subscriber)).isEqualTo(sent);
  }

  @Test
  void shouldAcknowledgeAMessageWhoseOnlyReceiverIsAnEndedIncarnation() {
    cluster.node(1).connect("s").subscribe(1, "a", 1);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    publisher.publish(1, 1, "a", "m");
    publisher.expect();
    cluster.markDown(1);
    publisher.expect("PUBACK 1");
    publisher.publish(2, 1, "a", "m").expect("PUBACK 2");
  }

  @Test
  void shouldDistributeSharedMessagesAmongMembersOfSeveralNodes() {
    List<TestClient> members = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      members.add(cluster.node(i).connect("m" + i).subscribe(1, "$share/g/a", 1));
      members.get(i).readAll();
    }
    TestClient publisher = cluster.node(0).connect("p");
    for (int i = 1; i <= 6; i++) {
      publisher.publish(i, 1, "a", "x" + i).expect("PUBACK " + i);
    }
    List<List<String>> got = members.stream().map(SeveralNodesTest::payloads).toList();
    assertThat(got).allMatch(its -> its.size() == 2);
    assertThat(new TreeSet<>(got.stream().flatMap(List::stream).toList())).hasSize(6);
  }

  @Test
  void shouldTryTheNextShareMemberWhenTheNodeOfTheFirstHasFailed() {
    TestClient dead = cluster.node(1).connect("m1").subscribe(1, "$share/g/a", 1);
    TestClient alive = cluster.node(2).connect("m2").subscribe(1, "$share/g/a", 1);
    Stream.of(dead, alive).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    for (int i = 1; i <= 4; i++) {
      publisher.publish(i, 1, "a", "x" + i);
    }
    List<String> before = payloads(alive);
    assertThat(before).hasSizeLessThan(4);
    cluster.markDown(1);
    assertThat(publisher.readAll()).hasSize(4);
    List<String> all = new ArrayList<>(before);
    all.addAll(payloads(alive));
    assertThat(all).containsExactlyInAnyOrder("x1", "x2", "x3", "x4");
    assertThat(payloads(dead)).isEmpty();
  }

  @Test
  void shouldTryTheNextShareMemberWhenTheFirstHasLeft() {
    TestClient leaving = cluster.node(1).connect("m1").subscribe(1, "$share/g/a", 1);
    TestClient staying = cluster.node(2).connect("m2").subscribe(1, "$share/g/a", 1);
    Stream.of(leaving, staying).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.tasks.hold(); // its route remains for a while
    leaving.disconnect();
    for (int i = 1; i <= 4; i++) {
      publisher.publish(i, 1, "a", "x" + i).expect("PUBACK " + i);
    }
    cluster.tasks.resume();
    assertThat(payloads(staying)).containsExactly("x1", "x2", "x3", "x4");
  }

  @Test
  void shouldPreferPersistentMembersConnectedToAnyNode() {
    TestClient away = cluster.node(0).connectPersistent("away").subscribe(1, "$share/g/a", 1);
    away.disconnect();
    TestClient first = cluster.node(0).connectPersistent("c0").subscribe(1, "$share/g/a", 1);
    TestClient second = cluster.node(1).connectPersistent("c1").subscribe(1, "$share/g/a", 1);
    Stream.of(first, second).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    for (int i = 1; i <= 4; i++) {
      publisher.publish(i, 1, "a", "x" + i);
    }
    assertThat(payloads(first)).hasSize(2);
    assertThat(payloads(second)).hasSize(2);
    publisher.publish(0, 0, "a", "y1").publish(0, 0, "a", "y2");
    assertThat(payloads(first)).hasSize(1);
    assertThat(payloads(second)).as("QoS 0 finds a persistent session at its node").hasSize(1);
  }

  @Test
  void shouldRefuseOrDropMessagesForACongestedNode() {
    useSmallStreams();
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 1);
    subscriber.readAll();
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    int sent = 0;
    while (!cluster.node(0).streams.all().iterator().next().isFull()) {
      publisher.publish(++sent, 1, "a", "m" + sent);
    }
    assertThat(publisher.readAll()).isEmpty();
    TestClient other = cluster.node(0).connect("q");
    other.publish(1, 1, "a", "refused");
    other.expect("PUBACK 1 97");
    other.publish(0, 0, "a", "dropped");
    assertThat(cluster.node(0).dropped).containsEntry("node_congested", 1L);
    cluster.heal();
    assertThat(publisher.readAll()).hasSize(sent);
    assertThat(payloads(subscriber)).hasSize(sent).doesNotContain("refused", "dropped");
    other.publish(2, 1, "a", "taken again").expect("PUBACK 2");
  }

  @Test
  void shouldRefetchEntriesThatCouldNotBePushed() {
    useSmallStreams();
    TestClient live = cluster.node(1).connect("live").subscribe(1, "b", 1);
    TestClient subscriber = cluster.node(1).connectPersistent("s").subscribe(1, "a", 1);
    Stream.of(live, subscriber).forEach(TestClient::readAll);
    TestClient publisher = cluster.node(0).connect("p");
    cluster.cut(0, 1);
    for (int i = 1; !cluster.node(0).streams.all().iterator().next().isFull(); i++) {
      publisher.publish(i, 1, "b", "m" + i);
    }
    // The inbox leader cannot reach the subscriber's node, to which this publisher connects.
    TestClient there = cluster.node(1).connect("q");
    there.publish(1, 1, "a", "for-the-inbox");
    assertThat(payloads(subscriber)).isEmpty();
    cluster.heal();
    assertThat(payloads(subscriber)).containsExactly("for-the-inbox");
  }

  @Test
  void shouldRefetchInboxesOfOtherNodesWhenTheRangeHasANewLeader() {
    TestClient subscriber = cluster.node(1).connectPersistent("s").subscribe(1, "a", 1);
    subscriber.readAll();
    cluster.ranges.reelect();
    cluster.settle();
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
    assertThat(payloads(subscriber)).containsExactly("m");
  }

  @Test
  void shouldDeliverOnceWhenAPublisherRepeatsAMessageAtAnotherNode() {
    List<TestClient> subscribers = subscribeAtEveryNode("a");
    publishQos2(cluster.node(1).connectPersistent("p"), 1, "m").expect("PUBREC 1");
    // The publisher gets no acknowledgement: its node fails.
    TestClient again = cluster.node(2).open().connect5("p", false, 1_000);
    again.readAll();
    repeatQos2(again, 1, "m").expect("PUBREC 1");
    for (TestClient subscriber : subscribers) {
      assertThat(payloads(subscriber)).containsExactly("m");
    }
    again.reply(MqttMessageType.PUBREL, 1).expect("PUBCOMP 1");
    publishQos2(again, 1, "next").expect("PUBREC 1");
    for (TestClient subscriber : subscribers) {
      assertThat(payloads(subscriber)).containsExactly("next");
    }
  }

  @Test
  void shouldDiscardALateCopyFromThePreviousNodeOfThePublisher() {
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 2);
    subscriber.readAll();
    cluster.cut(2, 1);
    publishQos2(cluster.node(2).connectPersistent("p"), 1, "m").expect();
    TestClient again = cluster.node(0).open().connect5("p", false, 1_000);
    again.readAll();
    repeatQos2(again, 1, "m").expect("PUBREC 1");
    again.reply(MqttMessageType.PUBREL, 1).expect("PUBCOMP 1");
    publishQos2(again, 2, "next").expect("PUBREC 2");
    cluster.heal();
    assertThat(payloads(subscriber)).containsExactly("m", "next");
  }

  @Test
  void shouldDeliverToAShareOnceWhenAPublisherRepeatsAMessageAtAnotherNode() {
    List<TestClient> members = subscribeAtEveryNode("$share/g/a");
    TestClient first = cluster.node(1).connectPersistent("p");
    for (int i = 1; i <= 9; i++) {
      publishQos2(first, i, "m" + i).expect("PUBREC " + i);
    }
    first.reply(MqttMessageType.PUBREL, 1).expect("PUBCOMP 1");
    TestClient again = cluster.node(2).open().connect5("p", false, 1_000);
    again.readAll();
    for (int i = 2; i <= 9; i++) {
      repeatQos2(again, i, "m" + i).expect("PUBREC " + i);
    }
    assertThat(members.stream().map(SeveralNodesTest::payloads).flatMap(List::stream))
        .hasSize(9)
        .doesNotHaveDuplicates();
  }

  private List<TestClient> subscribeAtEveryNode(String filter) {
    List<TestClient> subscribers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      subscribers.add(cluster.node(i).connect("s" + i).subscribe(1, filter, 2));
      subscribers.get(i).readAll();
    }
    return subscribers;
  }

  private static TestClient publishQos2(TestClient publisher, int id, String payload) {
    return publisher.publish(id, 2, "a", payload);
  }

  private static TestClient repeatQos2(TestClient publisher, int id, String payload) {
    return publisher.publish(id, 2, "a", payload, false, true, MqttProperties.NO_PROPERTIES);
  }
}
