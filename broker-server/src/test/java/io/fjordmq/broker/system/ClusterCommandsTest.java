package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Operator commands for the ranges of a running cluster, and the status they produce. All tests use
 * one cluster; those that need three nodes come first, the others find node 1 down.
 */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterCommandsTest {
  private static final long TIMEOUT_SECONDS = 60;
  private static final int IDLE_SESSIONS = 20;
  private static final int DONE = 0;
  private static final int FAILED = 1;

  private ClusterUnderTest cluster;

  @BeforeAll
  void start(@TempDir Path directory) {
    String byHand =
        """
        storeConfig:
          dist:
            splitByLoad: false
        splitConfig:
          mergeAfter: 0 s
        placementConfig:
          mergeTimeout: 10 min
        inboxConfig:
          initialRanges: 1
        """;
    cluster = ClusterUnderTest.startIn(directory, 3, byHand);
  }

  @AfterAll
  void stop() {
    cluster.close();
  }

  @Test
  @Order(1)
  void shouldSplitAnIdleRangeInHalfOrReportTooFewKeys() {
    BrokerUnderTest node = cluster.node(2);
    for (int i = 0; i < IDLE_SESSIONS; i++) {
      try (CrashSubscriber session = new CrashSubscriber(node.mqtt(), "idle-" + i)) {
        session.subscribe("news");
      }
    }
    Await.until(
        "the range has next to nothing to do",
        TIMEOUT_SECONDS,
        () -> status(node).lines().anyMatch(line -> isIdle(line, "inbox-1")));

    assertThat(node.command("split inbox-1")).startsWith(DONE + "\n").contains("was split at");
    Await.until(
        "two ranges", TIMEOUT_SECONDS, () -> StatusRanges.at(node).names("inbox").size() == 2);
    StatusRanges.at(node).assertComplete();
    assertThat(node.command("split retain-1"))
        .startsWith(FAILED + "\n")
        .contains("range retain-1 cannot be split");
  }

  @Test
  @Order(2)
  void shouldReplaceAReplicaOnRequestUnlessItsRangeNeedsIt() {
    BrokerUnderTest node = cluster.node(3);
    String range = StatusRanges.at(node).names("dist").get(0);
    Await.until("three voters", TIMEOUT_SECONDS, () -> voters(node, range) == 3);
    Await.until( // the metadata that this node has may name fewer voters than status
        "the node accepts the command",
        TIMEOUT_SECONDS,
        () -> node.command("rebuild " + range).startsWith(DONE + "\n"));
    Await.until(
        "it is rebuilt",
        TIMEOUT_SECONDS,
        () ->
            node.scrape().value("fjordmq_range_rebuilds_total{store=\"dist\"}") == 1
                && voters(node, range) == 3);
    assertThat(node.command("rebuild dist-99"))
        .startsWith(FAILED + "\n")
        .contains("cannot rebuild range 'dist-99': this node has no replica of it");
    killNode1();
    assertThat(node.command("rebuild " + range))
        .startsWith(FAILED + "\n")
        .contains("without this node it has no majority");
    assertThat(node.command("lower-clock " + range))
        .startsWith(FAILED + "\n")
        .contains("is not ahead of cluster time");
  }

  @Test
  @Order(3)
  void shouldShowWhatBlocksAMergeAndCancelItOnRequest() {
    BrokerUnderTest first = cluster.node(2);
    BrokerUnderTest second = cluster.node(3);
    String left = StatusRanges.at(first).names("dist").get(0);
    killNode1();
    CompletableFuture<String> merge =
        CompletableFuture.supplyAsync(() -> first.command("merge " + left));

    Await.until(
        "each node shows it",
        TIMEOUT_SECONDS,
        () -> {
          assertThat(merge.getNow("")).as("the end of the command").isEmpty();
          return isPending(first, left) && isPending(second, left);
        });
    assertThat(second.command("cancel " + left)).startsWith(DONE + "\n");
    assertThat(merge.join()).startsWith(FAILED + "\n").contains("an operator canceled the merge");
    Await.until(
        "nothing is pending", TIMEOUT_SECONDS, () -> !status(second).contains("pending for"));
    assertThat(first.command("cancel " + left))
        .startsWith(FAILED + "\n")
        .contains("no merge or replica change");
  }

  @Test
  @Order(4)
  void shouldShowWhatBlocksARemovalAndCancelItOnRequest() {
    BrokerUnderTest first = cluster.node(2);
    killNode1();
    assertThat(first.command("voters inbox=1")).startsWith(DONE + "\n");
    Await.until("it is shown", TIMEOUT_SECONDS, () -> isPending(first, "inbox-1"));

    assertThat(first.command("cancel inbox-1")).startsWith(DONE + "\n").contains("'voters'");
    Await.until(
        "it is canceled",
        TIMEOUT_SECONDS,
        () ->
            status(first).contains("removing the replica on node")
                && status(first)
                    .contains("canceled by an operator; placement may retry the change in"));
    assertThat(first.command("cancel inbox-1"))
        .startsWith(FAILED + "\n")
        .contains("placement may retry the change in");
  }

  /**
   * Kills the node unless an earlier test has, and waits until the others know. Every range has
   * three voters then, so that one is missing.
   */
  private void killNode1() {
    BrokerUnderTest killed = cluster.node(1);
    if (killed.isRunning()) {
      for (String range : List.of("dist-1", "inbox-1", "retain-1")) {
        Await.until("three voters", TIMEOUT_SECONDS, () -> voters(killed, range) == 3);
      }
      killed.kill();
    }
    for (BrokerUnderTest other : List.of(cluster.node(2), cluster.node(3))) {
      Await.until("node 1 is down", TIMEOUT_SECONDS, () -> status(other).contains("  down "));
    }
  }

  /** Every range is asked once a second or so whether anything has expired. */
  private static boolean isIdle(String line, String range) {
    return line.matches("range " + range + " .*  [0-5] requests/s.*");
  }

  /** Voters that respond and are caught up. */
  private static int voters(BrokerUnderTest node, String range) {
    return status(node)
        .lines()
        .filter(line -> line.startsWith("range " + range + " "))
        .map(line -> line.replaceFirst(".*  voters ", "").replaceFirst("  .*", ""))
        .filter(voters -> !voters.contains("("))
        .mapToInt(voters -> voters.split(", ").length)
        .sum();
  }

  private static boolean isPending(BrokerUnderTest node, String range) {
    return status(node)
        .lines()
        .anyMatch(
            line ->
                line.startsWith("pending for ")
                    && line.contains("range " + range)
                    && line.contains("is down")
                    && line.contains("cancel " + range));
  }

  private static String status(BrokerUnderTest node) {
    return Scrape.get(node.httpPort(), "/status").body();
  }
}
