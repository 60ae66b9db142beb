package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.broker.config.BrokerConfig;
import io.fjordmq.broker.config.ConfigException;
import io.fjordmq.broker.config.ConfigLoader;
import io.fjordmq.broker.recovery.RecoveryProgram;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real nodes that permanently lose a majority, and what the remaining one is recovered with. */
@Tag("slow")
class MajorityLostTest {
  private static final int MESSAGES = 20;
  private static final int SECONDS = 120;

  @TempDir Path directory;

  @Test
  void shouldMakeTheRemainingNodeANewCluster() throws Exception {
    String cluster;
    try (ClusterUnderTest original = ClusterUnderTest.startIn(directory, 3, "")) {
      BrokerUnderTest kept = original.node(3);
      cluster = clusterId(kept);
      store(original.node(1), kept);
      assertThatThrownBy(() -> RecoveryProgram.show(config(kept)))
          .hasMessageContaining("is locked by process");
      original.nodes().forEach(BrokerUnderTest::kill);
      delete(original.node(1).nodeDirectory().resolve("data"));

      List<String> before = RecoveryProgram.show(config(kept));
      assertThat(before)
          .contains("cluster   " + cluster)
          .anyMatch(line -> line.matches("inbox-1 .* state up to index .* log up to .*"))
          .noneMatch(line -> line.contains(" LOST: "));
      assertThat(RecoveryProgram.recoverCluster(config(kept)))
          .anyMatch(line -> line.startsWith("Recovered as node"));
      kept.relaunch();
      kept.awaitListening();
      assertThat(clusterId(kept)).isNotEqualTo(cluster);
      assertStored(kept);

      shouldNotTalkToTheOldCluster(original.node(2), kept);
      shouldReplicateToNewNodes(kept);
    }
  }

  /** A node of the old cluster whose disk comes back: its seeds lead to the recovered node. */
  private void shouldNotTalkToTheOldCluster(BrokerUnderTest old, BrokerUnderTest kept) {
    old.relaunch();
    Await.until(
        "the old node to find the new cluster at the address of its peer",
        SECONDS,
        () -> old.output().contains("cluster=" + clusterId(kept)));
    assertThat(status(kept).lines().filter(line -> line.startsWith("node ")).toList())
        .noneMatch(line -> line.contains(":" + old.clusterPort()));
    old.kill();
    assertStored(kept);
  }

  private void shouldReplicateToNewNodes(BrokerUnderTest kept) {
    String seed = "127.0.0.1:" + kept.clusterPort();
    List<BrokerUnderTest> added = new ArrayList<>();
    try {
      for (int i = 0; i < 2; i++) {
        NodeFile file = NodeFile.standalone("").withBootstrap(false).withSeeds(seed);
        added.add(BrokerUnderTest.launchIn(directory.resolve("added" + i), file));
      }
      added.forEach(BrokerUnderTest::awaitListening);
      added.forEach(ClusterUnderTest::awaitVoters);
      kept.kill(); // what follows is served from the replicas that have joined
      assertStored(added.get(0));
    } finally {
      ClusterUnderTest.stopAll(added);
    }
  }

  @Test
  void shouldRecoverRangesThatHaveLostTheirMajority() throws Exception {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 3, "")) {
      BrokerUnderTest lost = cluster.node(2);
      cluster.node(1).command("voters dist=2 inbox=2 retain=2");
      Await.until(
          "ranges with two voters",
          SECONDS,
          () -> voters(cluster.node(1)).stream().allMatch(line -> line.split(" ").length == 2));
      store(cluster.node(1), cluster.node(3));
      String lostId = idOf(lost);
      cluster.nodes().forEach(BrokerUnderTest::kill);
      int recovered = 0;
      for (BrokerUnderTest node : List.of(cluster.node(1), cluster.node(3))) {
        for (String range : rangesWithVoter(node, lostId)) {
          assertThat(RecoveryProgram.recoverRange(config(node), range))
              .anyMatch(line -> line.contains("only voter of range " + range));
          recovered++;
        }
        node.relaunch();
      }
      assertThat(recovered).isPositive();
      cluster.node(1).awaitListening();
      cluster.node(3).awaitListening();
      assertStored(cluster.node(3));
      Await.until(
          "the lost node is removed",
          SECONDS,
          () -> cluster.node(1).command("remove-node " + lostId).contains("removed node"));
      ClusterUnderTest.awaitVoters(cluster.node(1));
    }
  }

  private static List<String> rangesWithVoter(BrokerUnderTest node, String voter)
      throws IOException, ConfigException {
    List<String> found = new ArrayList<>();
    for (String line : RecoveryProgram.show(config(node))) {
      if (line.matches("(dist|inbox|retain)-[0-9]+ .*voters .*" + voter + ".*")
          && !line.contains("not a voter")) {
        found.add(line.substring(0, line.indexOf(' ')));
      }
    }
    return found;
  }

  private static List<String> voters(BrokerUnderTest node) {
    return status(node)
        .lines()
        .filter(line -> line.startsWith("range "))
        .map(line -> line.replaceAll(".*  voters (.*?)  (learners|keys) .*", "$1"))
        .toList();
  }

  private static String status(BrokerUnderTest node) {
    return Scrape.get(node.httpPort(), "/status").body();
  }

  private static String clusterId(BrokerUnderTest node) {
    return line(node, "cluster ");
  }

  private static String idOf(BrokerUnderTest node) {
    return line(node, "node ");
  }

  private static String line(BrokerUnderTest node, String name) {
    try {
      return Files.readAllLines(node.nodeDirectory().resolve("data/node.id")).stream()
          .filter(line -> line.startsWith(name))
          .map(line -> line.substring(name.length()))
          .findFirst()
          .orElseThrow();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static BrokerConfig config(BrokerUnderTest node) throws ConfigException {
    Path folder = node.nodeDirectory();
    return ConfigLoader.load(
            new ConfigLoader.CommandLine(
                folder.resolveSibling("standalone.yml"),
                folder.resolve("data").toString(),
                folder.resolve("logs").toString()))
        .config();
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  private static Mqtt5Session connect(BrokerUnderTest node, String name) {
    Mqtt5Session session = new Mqtt5Session(node.mqtt(), name);
    session.connect(connect -> connect.cleanStart(false).sessionExpiryInterval(36_000));
    return session;
  }

  private static void store(BrokerUnderTest publishing, BrokerUnderTest node) {
    try (Mqtt5Session away = connect(node, "away")) {
      away.subscribe("kept/#", MqttQos.EXACTLY_ONCE);
      away.disconnect();
    }
    try (Mqtt5Session publisher = connect(publishing, "publisher")) {
      for (int number = 0; number < MESSAGES; number++) {
        publisher.publish("kept/" + number, MqttQos.EXACTLY_ONCE, "m" + number);
        publisher.publish(
            "retained/" + number,
            MqttQos.AT_LEAST_ONCE,
            "r" + number,
            publish -> publish.retain(true));
      }
      publisher.disconnect();
    }
    assertRetained(node); // the node has applied it
  }

  /** The queue of the session, which is filled again, and the retained messages. */
  private static void assertStored(BrokerUnderTest node) {
    try (Mqtt5Session away = connect(node, "away");
        Mqtt5Session publisher = connect(node, "publisher")) {
      for (int number = 0; number < MESSAGES; number++) {
        assertThat(away.nextText()).isEqualTo("m" + number);
      }
      assertThat(away.poll(200)).isNull();
      away.disconnect();
      for (int number = 0; number < MESSAGES; number++) {
        publisher.publish("kept/" + number, MqttQos.EXACTLY_ONCE, "m" + number);
      }
      publisher.disconnect();
    }
    assertRetained(node);
  }

  private static void assertRetained(BrokerUnderTest node) {
    try (Mqtt5Session reader = new Mqtt5Session(node.mqtt(), null)) {
      reader.connect();
      reader.subscribe("retained/#", MqttQos.AT_LEAST_ONCE);
      TreeSet<String> texts = new TreeSet<>();
      for (int i = 0; i < MESSAGES; i++) {
        texts.add(reader.nextText());
      }
      assertThat(texts).hasSize(MESSAGES).contains("r0", "r19");
    }
  }
}
