package io.fjordmq.broker.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.TestClient;
import io.fjordmq.broker.testing.TestCluster;
import io.fjordmq.broker.testing.TestNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests how a node closes its connections after the cluster has marked it as down (0038). */
class EndedIncarnationTest {
  private static final String TAKEN_OVER = "DISCONNECT 8e";

  private final TestCluster cluster = new TestCluster(3);

  @AfterEach
  void close() {
    cluster.close();
  }

  /** Ten connections per second, the first immediately, whatever the node does meanwhile. */
  @Test
  void shouldCloseConnectionsOfAnEndedIncarnationGradually() {
    TestNode node = cluster.node(1);
    List<TestClient> clients = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      clients.add(node.connectPersistent("c" + i).subscribe(1, "a", 1));
      clients.get(i).readAll();
    }
    node.membership.endIncarnation();
    for (int closed = 1; closed <= 5; closed++) {
      cluster.settle();
      assertThat(clients).filteredOn(TestClient::isOpen).hasSize(5 - closed);
      assertThat(node.sessions.size()).isEqualTo(5 - closed);
      assertThat(node.registry.size()).isEqualTo(5 - closed);
      clients.get(closed - 1).expect("DISCONNECT 8b");
      if (closed == 2) {
        cluster.beginNextIncarnation(1);
      }
      cluster.advanceTime(Duration.ofMillis(100));
    }
  }

  /** A connection of an ended incarnation is neither read nor written until it is closed. */
  @Test
  void shouldNotServeConnectionsOfAnEndedIncarnation() {
    TestNode node = cluster.node(1);
    TestClient watcher = cluster.node(0).connectPersistent("w").subscribe(1, "#", 1);
    watcher.readAll();
    node.connect("a");
    TestClient held = node.connect("b").subscribe(1, "a", 1);
    TestClient persistent = node.connectPersistent("c").subscribe(1, "a", 1);
    held.readAll();
    persistent.readAll();
    node.membership.endIncarnation();
    cluster.settle();
    cluster.beginNextIncarnation(1);
    held.publish(2, 1, "x", "never").subscribe(3, "y", 1).sendHex("c000").expect();
    persistent.publish(2, 2, "x", "never").expect();
    cluster.node(0).connect("q").publish(1, 1, "a", "m").expect("PUBACK 1");
    watcher.expect("PUBLISH q1 id=1 a m");
    held.expect();
    persistent.expect();
    cluster.advanceTime(Duration.ofMillis(200));
    held.expect("DISCONNECT 8b");
    persistent.expect("DISCONNECT 8b");
    watcher.expect();
    node.open().connect5("c", false, 1_000).expect("CONNACK 0 present", "PUBLISH q1 id=1 a m");
  }

  /** A client reconnects to the same node or to another one, or disconnects by itself. */
  @Test
  void shouldCloseAConnectionOfAnEndedIncarnationWhenItsClientReconnects() {
    TestNode node = cluster.node(1);
    node.connect("a");
    TestClient here = node.connectPersistent("b").subscribe(1, "a", 1);
    TestClient there = node.connectPersistent("c");
    TestClient gone = node.connect("d");
    here.readAll();
    node.membership.endIncarnation();
    cluster.settle();
    cluster.beginNextIncarnation(1);
    TestClient again = node.open().connect5("b", false, 1_000);
    again.expect("CONNACK 0 present");
    here.expect(TAKEN_OVER);
    cluster.node(2).connectPersistent("c");
    there.expect(TAKEN_OVER);
    gone.cut();
    assertThat(node.sessions.size()).isEqualTo(1);
    cluster.advanceTime(Duration.ofSeconds(1));
    cluster.node(0).connect("q").publish(1, 1, "a", "m").expect("PUBACK 1");
    again.expect("PUBLISH q1 id=1 a m");
  }

  @Test
  void shouldCloseConnectionsOfAnEndedIncarnationImmediatelyAtShutdown() {
    TestNode node = cluster.node(1);
    List<TestClient> clients = List.of(node.connect("a"), node.connect("b"), node.connect("c"));
    node.membership.endIncarnation();
    cluster.settle();
    assertThat(clients).filteredOn(TestClient::isOpen).hasSize(2);
    CompletableFuture<Void> gone = node.sessions.shutDown();
    cluster.settle();
    assertThat(gone).isCompleted();
    clients.forEach(client -> client.expect("DISCONNECT 8b"));
    assertThat(node.sessions.size()).isZero();
  }

  /** A drain of the next incarnation starts after all earlier connections are closed. */
  @Test
  void shouldNotDrainFasterBecauseAnIncarnationHasEnded() {
    TestNode node = cluster.node(1);
    List<TestClient> former = List.of(node.connect("a"), node.connect("b"), node.connect("c"));
    node.membership.endIncarnation();
    cluster.settle();
    cluster.beginNextIncarnation(1);
    TestClient next = node.connect("d");
    node.sessions.startDraining("");
    node.sessions.disconnect(1);
    cluster.settle();
    assertThat(former).filteredOn(TestClient::isOpen).hasSize(2);
    next.expect();
    cluster.advanceTime(Duration.ofMillis(200));
    assertThat(former).noneMatch(TestClient::isOpen);
    node.sessions.disconnect(1);
    cluster.settle();
    next.expect("DISCONNECT 9c");
  }
}
