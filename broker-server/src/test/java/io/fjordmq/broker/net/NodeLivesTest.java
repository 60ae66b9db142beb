package io.fjordmq.broker.net;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.membership.Member;
import io.fjordmq.inbox.InboxObserver;
import io.fjordmq.inbox.InboxReplicas;
import io.fjordmq.inbox.InboxSettings;
import io.fjordmq.inbox.InboxSweeper;
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

/** Goal: a client has one connection in the cluster, and a node serves only while it may. */
class NodeLivesTest {
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
    assertThat(newest.subscribe(1, "a", 0).all()).containsExactly("SUBACK 1 [0]");
  }

  @Test
  void shouldCloseTheOlderConnectionOfAPersistentClientAndHandOnItsMessages() {
    TestClient older = cluster.node(0).connectPersistent("c").subscribe(1, "a", 1);
    older.all();
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
  void shouldCloseAnOlderConnectionWhenTheNoticeComesLate() {
    cluster.cut(0, 1);
    TestClient older = cluster.node(0).connect("c");
    TestClient newer = cluster.node(1).connect("c");
    assertThat(older.isOpen()).as("it cannot know yet").isTrue();
    cluster.heal();
    older.expect(TAKEN_OVER);
    assertThat(newer.isOpen()).as("the older notice changes nothing").isTrue();
    newer.expect();
  }

  @Test
  void shouldLetExactlyOneSurviveWhenAClientConnectsToAllNodesAtOnce() {
    for (int round = 0; round < 20; round++) {
      cluster.tasks.hold();
      List<TestClient> clients =
          List.of(cluster.node(0).open(), cluster.node(1).open(), cluster.node(2).open());
      clients.forEach(client -> client.connect5("c", true, 0));
      cluster.tasks.resume();
      cluster.settle();
      assertThat(clients).filteredOn(TestClient::isOpen).hasSize(1);
      for (TestClient client : clients) {
        assertThat(client.all().stream().filter(TAKEN_OVER::equals).count()).isLessThan(2);
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

  private InboxSweeper sweeperOfTheLeader() {
    RangeClient client = cluster.client(InboxReplicas.STORE);
    return new InboxSweeper(
        client,
        () -> client.locate(KeyInterval.ALL),
        (node, life) -> !cluster.node(0).membership.members().isOver(new NodeId(node), life),
        cluster.ranges.timers(),
        InboxSettings.DEFAULT,
        InboxObserver.NONE);
  }

  @Test
  void shouldPublishTheWillsOfTransientClientsOfANodeThatHasDied() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.all();
    TestClient dying = cluster.node(1).open().connect(withWill("c", "died"));
    TestClient leaving = cluster.node(1).open().connect(withWill("d", "never"));
    dying.expect("CONNACK 0");
    leaving.disconnect();
    cluster.peers.isolate(cluster.node(1).id);
    cluster.down(1);
    sweeperOfTheLeader().sweep();
    cluster.settle();
    watcher.expect("PUBLISH q1 id=1 wills died");
    sweeperOfTheLeader().sweep();
    cluster.pass(Duration.ofSeconds(20));
    watcher.expect();
  }

  @Test
  void shouldPublishTheWillOfATransientClientOnce() {
    TestClient watcher = cluster.node(0).connect("w").subscribe(1, "wills", 1);
    watcher.all();
    cluster.node(1).open().connect(withWill("c", "cut")).cut();
    watcher.expect("PUBLISH q1 id=1 wills cut");
    TestClient older = cluster.node(1).open().connect(withWill("c", "taken over"));
    cluster.node(2).connect("c");
    older.expect("CONNACK 0", TAKEN_OVER);
    watcher.expect("PUBLISH q1 id=2 wills taken over");
  }

  @Test
  void shouldServeNobodyWithoutALease() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c");
    TestClient old = node.open().connect3("old", true);
    old.expect("CONNACK 0");
    node.membership.stopServing("the lease has run out");
    node.open().connect5("d", true, 0).expect("CONNACK 88");
    node.open().connect3("e", true).expect("CONNACK 3");
    client.subscribe(1, "a", 1).expect("SUBACK 1 [131]");
    client.publish(2, 1, "a", "m").expect("PUBACK 2 83");
    client.publish(0, 0, "a", "m");
    assertThat(node.dropped).containsEntry("not_serving", 1L);
    old.publish(1, 1, "a", "m").expect();
    assertThat(old.isOpen()).as("MQTT 3 cannot be told otherwise").isFalse();
    node.membership.serve();
    client.subscribe(3, "a", 1).expect("SUBACK 3 [1]");
    client.publish(4, 1, "a", "m").expect("PUBLISH q1 id=1 a m", "PUBACK 4");
  }

  @Test
  void shouldEndAllSessionsWithItsLifeAndServeInTheNext() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c").subscribe(1, "a", 1);
    TestClient persistent = node.connectPersistent("p").subscribe(1, "a", 1);
    client.all();
    persistent.all();
    CompletableFuture<Void> ended = node.membership.endLife();
    cluster.settle();
    client.expect("DISCONNECT 8b");
    persistent.expect("DISCONNECT 8b");
    assertThat(ended).isCompleted();
    assertThat(node.sessions.size()).isZero();
    assertThat(node.membership.beginLife()).isCompleted();
    for (int i = 0; i < 3; i++) {
      cluster.node(i).membership.setUp(node.id, 2);
    }
    TestClient again = node.connect("c").subscribe(1, "a", 1);
    again.expect("SUBACK 1 [1]");
    TestClient publisher = cluster.node(0).connect("q");
    publisher.publish(1, 1, "a", "m").expect("PUBACK 1");
    again.expect("PUBLISH q1 id=1 a m");
    assertThat(node.membership.members().alive()).contains(node.id);
  }

  @Test
  void shouldSendItsClientsElsewhereWhenItHasNoLeaseForAWhile() {
    TestNode node = cluster.node(1);
    TestClient client = node.connect("c");
    TestClient persistent = node.connectPersistent("p").subscribe(1, "a", 1);
    persistent.all();
    node.membership.lapse();
    cluster.settle();
    client.expect("DISCONNECT 8b");
    persistent.expect("DISCONNECT 8b");
    TestClient elsewhere = cluster.node(0).connectPersistent("p");
    cluster.node(2).connect("q").publish(1, 1, "a", "m").expect("PUBACK 1");
    elsewhere.expect("PUBLISH q1 id=1 a m");
    node.membership.serve();
    node.connect("c").publish(1, 1, "a", "n").expect("PUBACK 1");
    elsewhere.expect("PUBLISH q1 id=2 a n");
  }

  @Test
  void shouldNotSendToALifeThatIsOverThoughItsRoutesAreStillThere() {
    TestClient subscriber = cluster.node(1).connect("s").subscribe(1, "a", 1);
    subscriber.all();
    cluster.node(0).membership.setState(cluster.node(1).id, Member.State.DOWN);
    cluster.node(0).membership.setUp(cluster.node(1).id, 2);
    cluster.node(0).connect("p").publish(1, 1, "a", "m").expect("PUBACK 1");
    subscriber.expect();
  }
}
