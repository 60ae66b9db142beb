package io.fjordmq.broker.drain;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.broker.testing.TestNode;
import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.client.InboxSweeper;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeClient;
import io.netty.handler.codec.mqtt.MqttMessageBuilders.ConnectBuilder;
import io.netty.handler.codec.mqtt.MqttQoS;
import io.netty.handler.codec.mqtt.MqttVersion;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Goal: a client has one connection in the cluster, and a node serves only with a lease. */
class NodeLeaseTest {
  private static final String TAKEN_OVER = "DISCONNECT 8e";

  private final TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  @Test
  void shouldCloseTheOlderConnectionOfATransientClientAtAnotherNode() {
    TestClient older = cluster.node(0).connect("c");
    TestClient newer = cluster.node(1).connect("c");
    older.expect(TAKEN_OVER);
    assertThat(older.isOpen()).isFalse();
    assertThat(newer.isOpen()).isTrue();
    TestClient newest = cluster.node(2).connect("c");
    newer.expect(TAKEN_OVER);
    assertThat(newest.subscribe(1, "a", 0).readAll()).containsExactly("SUBACK 1 [0]");
  }

  @Test
  void shouldCloseTheOlderConnectionOfAPersistentClientAndKeepItsMessages() {
    TestClient older = cluster.node(0).connectPersistent("c").subscribe(1, "a", 1);
    older.readAll();
    TestClient publisher = cluster.node(2).connect("p");
    publisher.publish(1, 1, "a", "unacknowledged");
    older.expect("PUBLISH q1 id=1 a unacknowledged");
    TestClient newer = cluster.node(1).open().connect5("c", false, 1_000);
    older.expect(TAKEN_OVER);
    newer.expect("CONNACK 0 present", "PUBLISH q1 dup id=1 a unacknowledged");
    publisher.publish(2, 1, "a", "next");
    newer.expect("PUBLISH q1 id=2 a next");
  }

  @Test
  void shouldCloseAnOlderConnectionWhenTheNoticeArrivesLate() {
    cluster.cut(0, 1);
    TestClient older = cluster.node(0).connect("c");
    TestClient newer = cluster.node(1).connect("c");
    assertThat(older.isOpen()).as("its node has not been notified yet").isTrue();
    cluster.heal();
    older.expect(TAKEN_OVER);
    assertThat(newer.isOpen()).as("the older notice changes nothing").isTrue();
    newer.expect();
  }

  @Test
  void shouldKeepExactlyOneConnectionWhenAClientConnectsToAllNodes() {
    for (int round = 0; round < 20; round++) {
      cluster.tasks.hold();
      List<TestClient> clients =
          List.of(cluster.node(0).open(), cluster.node(1).open(), cluster.node(2).open());
      clients.forEach(client -> client.connect5("c", true, 0));
      cluster.tasks.resume();
      cluster.settle();
      assertThat(clients).filteredOn(TestClient::isOpen).hasSize(1);
      for (TestClient client : clients) {
        assertThat(client.readAll().stream().filter(TAKEN_OVER::equals).count()).isLessThan(2);
      }
    }
  }

  private static Consumer<ConnectBuilder> withWill(String clientId, String payload) {
    return to ->
        to.protocolVersion(MqttVersion.MQTT_5)
            .clientId(clientId)
            .cleanSession(true)
            .willFlag(true)
            .willQoS(MqttQoS.AT_LEAST_ONCE)
            .willTopic("wills")
            .willMessage(payload.getBytes(StandardCharsets.UTF_8));
  }

  private static final Duration WILL_GRACE = InboxSettings.DEFAULT.willGrace();

  private InboxSweeper leaderSweeper() {
    RangeClient client = cluster.client(InboxReplicas.STORE);
    return new InboxSweeper(
        client,
        () -> client.locate(KeyInterval.ALL),
        (node, incarnation) ->
            !cluster.node(0).membership.members().hasEnded(new NodeId(node), incarnation),
        cluster.ranges.timers(),
        InboxSettings.DEFAULT,
        InboxObserver.NONE);
  }

  @Test
  void shouldPublishTheWillsOfTransientClientsOfAFailedNode() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    TestClient dying = cluster.node(1).open().connect(withWill("c", "died"));
    TestClient leaving = cluster.node(1).open().connect(withWill("d", "never"));
    dying.expect("CONNACK 0");
    leaving.disconnect();
    cluster.peers.isolate(cluster.node(1).id);
    cluster.markDown(1);
    leaderSweeper().sweep();
    cluster.advanceTime(WILL_GRACE.minusSeconds(1));
    watcher.expect();
    cluster.advanceTime(Duration.ofSeconds(2));
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=1 wills died");
    leaderSweeper().sweep();
    cluster.advanceTime(Duration.ofSeconds(20));
    watcher.expect();
  }

  /** The remaining nodes know which clients of the failed node have reconnected. */
  @Test
  void shouldNotPublishTheWillOfAClientThatReconnectsAfterItsNodeFailed() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    cluster.node(1).open().connect(withWill("c", "transient")).expect("CONNACK 0");
    cluster.peers.isolate(cluster.node(1).id);
    cluster.markDown(1);
    leaderSweeper().sweep();
    cluster.advanceTime(WILL_GRACE.minusSeconds(1));
    cluster.node(2).connect("c");
    cluster.advanceTime(WILL_GRACE);
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect();
  }

  /** A node whose lease is renewed closes its old connections itself. */
  @Test
  void shouldNotPublishTheWillOfAClientThatReconnectsAfterTheIncarnationEnded() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    TestNode node = cluster.node(1);
    TestClient back = node.open().connect(withWill("back", "never"));
    TestClient gone = node.open().connect(withWill("gone", "gone"));
    node.membership.endIncarnation();
    cluster.advanceTime(Duration.ofMillis(100));
    back.expect("CONNACK 0", "DISCONNECT 8b");
    gone.expect("CONNACK 0", "DISCONNECT 8b");
    cluster.node(2).connect("back");
    cluster.advanceTime(WILL_GRACE.plusSeconds(1));
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=1 wills gone");
  }

  /** The cluster continues without the node for nearly the whole will grace period. */
  @Test
  void shouldNotPublishTheWillOfAClientThatReconnectsAfterItsNodeReturned() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    TestNode node = cluster.node(1);
    TestClient back = node.open().connect(withWill("back", "never"));
    TestClient gone = node.open().connect(withWill("gone", "gone"));
    TestClient lost = node.open().connect(withWill("lost", "lost"));
    cluster.peers.isolate(node.id);
    node.membership.stopServing("the lease has run out");
    cluster.markDown(1);
    leaderSweeper().sweep();
    cluster.advanceTime(WILL_GRACE.minusSeconds(1));
    lost.cut();
    cluster.peers.heal();
    node.membership.endIncarnation();
    cluster.advanceTime(Duration.ofSeconds(2));
    back.expect("CONNACK 0", "DISCONNECT 8b");
    gone.expect("CONNACK 0", "DISCONNECT 8b");
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=1 wills lost");
    cluster.node(2).connect("back");
    cluster.advanceTime(WILL_GRACE);
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=2 wills gone");
    cluster.advanceTime(WILL_GRACE);
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect();
  }

  /** A node without a lease cannot know why its clients disconnect. */
  @Test
  void shouldDelayTheWillsOfClientsThatDisconnectWithoutALease() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    TestNode node = cluster.node(1);
    TestClient back = node.open().connect(withWill("back", "never"));
    TestClient gone = node.open().connect(withWill("gone", "gone"));
    node.membership.stopServing("the lease has run out");
    back.cut();
    gone.cut();
    cluster.settle();
    watcher.expect();
    cluster.node(2).connect("back");
    cluster.advanceTime(WILL_GRACE.minusSeconds(1));
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect();
    cluster.advanceTime(Duration.ofSeconds(2));
    leaderSweeper().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=1 wills gone");
  }

  @Test
  void shouldPublishTheWillOfATransientClientOnce() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    cluster.node(1).open().connect(withWill("c", "cut")).cut();
    watcher.expect("PUBLISH q1 id=1 wills cut");
    TestClient older = cluster.node(1).open().connect(withWill("c", "taken over"));
    cluster.node(2).connect("c");
    older.expect("CONNACK 0", TAKEN_OVER);
    watcher.expect("PUBLISH q1 id=2 wills taken over");
  }

  @Test
  void shouldNotServeNewClientsWithoutALease() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c");
    TestClient old = node.open().connect3("old", true);
    old.expect("CONNACK 0");
    node.membership.stopServing("the lease has run out");
    node.open().connect5("d", true, 0).expect("CONNACK 88");
    node.open().connect3("e", true).expect("CONNACK 3");
    assertThat(client.isOpen()).isTrue();
    node.membership.serve();
    node.connect("d");
  }

  /**
   * Goal: a node whose lease has expired neither answers nor disconnects its clients, whatever they
   * send, and continues in order when the lease is renewed.
   */
  @Test
  void shouldHoldClientsWithoutALease() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c").subscribe(1, "a", 1);
    TestClient old = node.open().connect3("old", true);
    TestClient silent = node.connect("s").subscribe(1, "a", 1);
    client.readAll();
    old.readAll();
    silent.readAll();
    node.membership.stopServing("the lease has run out");
    client.publish(2, 1, "a", "1").publish(3, 2, "a", "2").publish(0, 0, "a", "3");
    client.subscribe(4, "b", 1).sendHex("c000");
    client.expect();
    old.publish(1, 1, "a", "4").publish(2, 2, "a", "5").expect();
    cluster.advanceTime(Duration.ofSeconds(60));
    assertThat(client.isOpen() && old.isOpen() && silent.isOpen()).isTrue();
    assertThat(node.dropped).isEmpty();
    node.membership.serve();
    cluster.settle();
    assertThat(client.readAll()).contains("PUBACK 2", "PUBREC 3", "SUBACK 4 [1]", "PINGRESP");
    assertThat(old.readAll()).contains("PUBACK 1", "PUBREC 2");
    silent.expect(
        "PUBLISH q1 id=1 a 1",
        "PUBLISH q1 id=2 a 2",
        "PUBLISH q0 a 3",
        "PUBLISH q1 id=3 a 4",
        "PUBLISH q1 id=4 a 5");
    client.publish(5, 1, "a", "6");
    assertThat(client.readAll()).contains("PUBACK 5");
  }

  /** A DISCONNECT among the held packets still cancels the will. */
  @Test
  void shouldHonorTheDisconnectOfAHeldClient() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.readAll();
    TestNode node = cluster.node(1);
    TestClient client = node.open().connect(withWill("c", "cut"));
    client.expect("CONNACK 0");
    node.membership.stopServing("the lease has run out");
    client.disconnect().cut();
    node.membership.serve();
    cluster.advanceTime(Duration.ofSeconds(20));
    watcher.expect();
  }

  @Test
  void shouldEndAllSessionsWithTheIncarnationAndServeInTheNext() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c").subscribe(1, "a", 1);
    TestClient persistent = node.connectPersistent("p").subscribe(1, "a", 1);
    client.readAll();
    persistent.readAll();
    CompletableFuture<Void> ended = node.membership.endIncarnation();
    cluster.settle();
    client.expect("DISCONNECT 8b");
    assertThat(ended).as("although a connection is still open").isCompleted();
    assertThat(node.sessions.size()).isEqualTo(1);
    cluster.beginNextIncarnation(1);
    cluster.advanceTime(Duration.ofMillis(100));
    persistent.expect("DISCONNECT 8b");
    assertThat(node.sessions.size()).isZero();
    TestClient again = node.connect("c").subscribe(1, "a", 1);
    again.expect("SUBACK 1 [1]");
    TestClient publisher = cluster.node(0).connect("q");
    publisher.publish(1, 1, "a", "m").expect("PUBACK 1");
    again.expect("PUBLISH q1 id=1 a m");
    assertThat(node.membership.members().alive()).contains(node.id);
  }

  @Test
  void shouldRedirectClientsGraduallyWhenAnotherNodeServes() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c");
    TestClient persistent = node.connectPersistent("p").subscribe(1, "a", 1);
    persistent.readAll();
    node.membership.expireLease();
    cluster.settle();
    client.expect("DISCONNECT 8b");
    node.membership.expireLease();
    cluster.settle();
    persistent.expect(); // ten clients per second
    cluster.advanceTime(Duration.ofMillis(100));
    node.membership.expireLease();
    cluster.settle();
    persistent.expect("DISCONNECT 8b");
    TestClient elsewhere = cluster.node(0).connectPersistent("p");
    cluster.node(2).connect("q").publish(1, 1, "a", "m").expect("PUBACK 1");
    elsewhere.expect("PUBLISH q1 id=1 a m");
    node.membership.serve();
    node.connect("c").publish(1, 1, "a", "n").expect("PUBACK 1");
    elsewhere.expect("PUBLISH q1 id=2 a n");
  }

  /** A client held by its node connects to another node, which takes over its session. */
  @Test
  void shouldDisconnectHeldClientsThatConnectedElsewhere() {
    TestNode node = cluster.node(1);
    TestClient transientOne = node.connect("t");
    TestClient persistent = node.connectPersistent("p");
    node.membership.stopServing("the lease has run out");
    transientOne.publish(1, 1, "a", "never").expect();
    persistent.publish(1, 1, "a", "never").expect();
    TestClient watcher = cluster.node(2).connect("w").subscribe(1, "a", 1);
    watcher.readAll();
    cluster.node(0).connect("t");
    cluster.node(0).connectPersistent("p");
    transientOne.expect(TAKEN_OVER);
    persistent.expect(TAKEN_OVER);
    node.membership.serve();
    cluster.settle();
    watcher.expect();
    assertThat(node.sessions.size()).isZero();
  }

  @Test
  void shouldNotSendToAnEndedIncarnationWhoseRoutesRemain() {
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 1);
    subscriber.readAll();
    cluster.node(0).membership.setState(cluster.node(1).id, Member.State.DOWN);
    cluster.node(0).membership.setUp(cluster.node(1).id, 2);
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
    subscriber.expect();
  }
}
