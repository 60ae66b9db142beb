package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5AsyncClient;
import com.hivemq.client.mqtt.mqtt5.message.subscribe.Mqtt5Subscription;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every node of a cluster is drained and restarted, stopped and restarted, or killed while clients
 * subscribe at the other nodes: no SUBSCRIBE fails. It prints how long the slowest one took, which
 * depends on the machine (docs/RELIABILITY.md).
 *
 * <ul>
 *   <li>{@code -Dfjordmq.restarts.routes=1000000}: routes of persistent sessions
 *   <li>{@code -Dfjordmq.restarts.probe=50}: milliseconds between two SUBSCRIBE packets at a node
 *   <li>{@code -Dfjordmq.restarts.how=drain,stop,kill}: the ways in turn, from node to node
 *   <li>{@code -Dfjordmq.restarts.rounds=3}: how often each node is restarted
 * </ul>
 */
@Tag("slow")
class SubscribeDuringRestartsTest {
  private static final int NODES = 3;
  private static final int FILTERS_PER_CLIENT = 10_000;
  private static final int FILTERS_PER_PACKET = 500;

  /** Answers of each probe before a restart, and again after it. */
  private static final int CALM_ANSWERS = 20;

  private static final int ROUTES = Integer.getInteger("fjordmq.restarts.routes", 3_000);
  private static final int PROBE_MILLIS = Integer.getInteger("fjordmq.restarts.probe", 50);
  private static final String HOW = System.getProperty("fjordmq.restarts.how", "drain,stop,kill");
  private static final int ROUNDS = Integer.getInteger("fjordmq.restarts.rounds", 1);

  @TempDir Path directory;

  @Test
  void shouldAnswerEverySubscribeWhileNodesAreRestarted() throws InterruptedException {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, NODES, "")) {
      addRoutes(cluster);
      String[] ways = HOW.split(",", -1);
      for (int round = 0; round < ROUNDS; round++) {
        for (int node = 0; node < NODES; node++) {
          restart(cluster, node + 1, ways[(round + node) % ways.length]);
        }
      }
    }
  }

  private static void addRoutes(ClusterUnderTest cluster) {
    IntStream.range(0, NODES).parallel().forEach(node -> addRoutes(cluster, node));
  }

  /** Adds the routes of every third client, at this node. */
  private static void addRoutes(ClusterUnderTest cluster, int node) {
    for (int client = node; client * FILTERS_PER_CLIENT < ROUTES; client += NODES) {
      Mqtt5AsyncClient session =
          CrashClient.build(cluster.node(1 + node).mqtt(), "routes-" + client);
      CrashClient.connect(session, true);
      int first = client * FILTERS_PER_CLIENT;
      int end = Math.min(ROUTES, first + FILTERS_PER_CLIENT);
      for (int filter = first; filter < end; filter += FILTERS_PER_PACKET) {
        subscribe(session, filter, Math.min(end, filter + FILTERS_PER_PACKET));
      }
      session.disconnect().join(); // its routes stay
    }
  }

  private static void subscribe(Mqtt5AsyncClient session, int from, int to) {
    List<Mqtt5Subscription> packet = new ArrayList<>();
    for (int i = from; i < to; i++) {
      packet.add(
          Mqtt5Subscription.builder()
              .topicFilter("routes/" + i + "/+")
              .qos(MqttQos.AT_LEAST_ONCE)
              .build());
    }
    session.subscribeWith().addSubscriptions(packet).send().join();
  }

  private static void restart(ClusterUnderTest cluster, int number, String how)
      throws InterruptedException {
    BrokerUnderTest node = cluster.node(number);
    List<SubscribeProbe> probes = new ArrayList<>();
    try {
      for (BrokerUnderTest other : cluster.nodes()) {
        if (other != node) {
          probes.add(new SubscribeProbe(other, PROBE_MILLIS));
        }
      }
      probes.forEach(probe -> probe.awaitAnswers(CALM_ANSWERS));
      probes.forEach(SubscribeProbe::onRestart);
      switch (how) {
        case "drain" -> node.drain();
        case "stop" -> node.stop();
        case "kill" -> node.kill();
        default -> throw new IllegalArgumentException("neither drain, stop nor kill: " + how);
      }
      node.restart();
      probes.forEach(probe -> probe.awaitAnswers(CALM_ANSWERS));
      for (SubscribeProbe probe : probes) {
        SubscribeProbe.Result result = probe.finish();
        System.out.printf("%s of node %d: %s%n", how, number, result);
        assertThat(result.failed()).as("%s of node %d: %s", how, number, result).isZero();
      }
    } finally {
      probes.forEach(SubscribeProbe::close);
    }
  }
}
