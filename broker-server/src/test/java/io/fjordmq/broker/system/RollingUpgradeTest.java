package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.backup.BackupLocation;
import io.fjordmq.broker.backup.BackupProgram;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster is upgraded under load to a release with another level, one node after the other: half
 * of it, back, then all of it, with a node killed in the middle (decision 0101).
 */
@Tag("slow")
class RollingUpgradeTest {
  private static final int NODES = 3;
  private static final int PAIRS = 6;
  private static final long PERIOD_MILLIS = 100;

  /** Messages that each pair exchanges after each step. */
  private static final int CALM_MESSAGES = 10;

  /** Only the test raises the level. */
  private static final String SETTINGS = "membershipConfig:\n  levelHoldDown: 1 h\n";

  @TempDir Path directory;
  private Path nextLevel;

  @BeforeEach
  void createService() throws Exception {
    nextLevel = NextLevel.createService(directory);
  }

  @Test
  void shouldLoseNothingWhileNodesAreUpgradedAndGoBack() throws Exception {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, NODES, SETTINGS)) {
      List<PublisherSubscriberPair> pairs =
          IntStream.range(0, PAIRS)
              .mapToObj(
                  i ->
                      new PublisherSubscriberPair(
                          "p" + i, cluster.nodes(), i % NODES, i / NODES % NODES))
              .toList();
      pairs.forEach(PublisherSubscriberPair::begin);
      ScheduledExecutorService publishing = Executors.newSingleThreadScheduledExecutor();
      publishing.scheduleAtFixedRate(
          () -> pairs.forEach(PublisherSubscriberPair::publishNext),
          0,
          PERIOD_MILLIS,
          TimeUnit.MILLISECONDS);
      awaitMessages(pairs);
      upgrade(cluster, pairs);
      publishing.shutdown();
      assertThat(publishing.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      assertEverythingArrives(pairs);
      pairs.forEach(PublisherSubscriberPair::end);
    }
  }

  private void upgrade(ClusterUnderTest cluster, List<PublisherSubscriberPair> pairs)
      throws IOException {
    replace(cluster.node(1), nextLevel, pairs);
    assertThat(cluster.node(1).command("upgrade"))
        .startsWith("1")
        .contains("the cluster stays at level 2, because not all nodes support level 3");

    replace(cluster.node(1), null, pairs); // back
    replace(cluster.node(1), nextLevel, pairs);
    replace(cluster.node(2), nextLevel, pairs);
    BrokerUnderTest third = cluster.node(3);
    third.kill();
    third.setMoreClasses(nextLevel);
    third.restart();
    awaitMessages(pairs);
    assertThat(levels(cluster)).containsOnly(2.0);

    assertThat(cluster.node(2).command("upgrade"))
        .startsWith("0")
        .contains("the cluster level was raised from 2 to 3");
    Await.until(
        "every node writes at level 3",
        30,
        () -> levels(cluster).stream().allMatch(level -> level == NextLevel.HIGHEST));
    awaitMessages(pairs);

    assertThat(third.drain()).isZero();
    third.setMoreClasses(null);
    third.relaunch();
    assertThat(third.awaitEnd()).isEqualTo(1);
    assertThat(third.lastOutput())
        .contains("this version of FjordMQ supports levels 1 to 2, but the cluster is at level 3")
        .doesNotContain("\tat ");
    third.setMoreClasses(nextLevel);
    third.restart();
    awaitMessages(pairs);
    assertThatThisVersionCannotRestore(backUp(cluster.node(1)));
  }

  private Path backUp(BrokerUnderTest node) {
    Path backup = directory.resolve("backup");
    ApiClient api = ApiClient.of(node.nodeDirectory());
    String request = "{\"directory\":\"%s\"}".formatted(backup);
    assertThat(api.send("POST", "/backup", request).status()).isEqualTo(200);
    Await.until(
        "the end of the backup",
        60,
        () -> !api.get("/backup").body().path("state").asString("").equals("running"));
    return backup;
  }

  /** The test runs with the classes of the older version. */
  private void assertThatThisVersionCannotRestore(Path backup) throws IOException {
    assertThat(BackupProgram.show(BackupLocation.of(backup.toString()))).contains("level      3");
    Path data = directory.resolve("restored");
    assertThatThrownBy(
            () -> BackupProgram.requestRestore(BackupLocation.of(backup.toString()), data))
        .hasMessageContaining(
            "has cluster level 3, but this version of FjordMQ supports levels 1 to 2");
    assertThat(data).doesNotExist();
  }

  /** Replaces the version of a node. */
  private static void replace(
      BrokerUnderTest node, @Nullable Path classes, List<PublisherSubscriberPair> pairs) {
    assertThat(node.drain()).isZero();
    node.setMoreClasses(classes);
    node.restart();
    awaitMessages(pairs);
    ClusterUnderTest.awaitVoters(node);
  }

  private static List<Double> levels(ClusterUnderTest cluster) {
    return cluster.nodes().stream()
        .map(node -> node.scrape().value("fjordmq_cluster_level"))
        .toList();
  }

  private static void awaitMessages(List<PublisherSubscriberPair> pairs) {
    List<Integer> before = pairs.stream().map(pair -> pair.received().size()).toList();
    for (int i = 0; i < pairs.size(); i++) {
      PublisherSubscriberPair pair = pairs.get(i);
      int expected = before.get(i) + CALM_MESSAGES;
      Await.until(CALM_MESSAGES + " more messages", 60, () -> pair.received().size() >= expected);
    }
  }

  private static void assertEverythingArrives(List<PublisherSubscriberPair> pairs) {
    Await.until(
        "the answer to every message",
        60,
        () -> pairs.stream().allMatch(pair -> pair.acknowledged() == pair.published()));
    for (PublisherSubscriberPair pair : pairs) {
      List<Integer> all = IntStream.range(0, pair.published()).boxed().toList();
      Await.until("every message", 60, () -> pair.received().containsAll(all));
      assertThat(pair.refusals()).isEmpty();
    }
  }
}
