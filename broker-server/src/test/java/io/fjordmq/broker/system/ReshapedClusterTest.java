package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.time.LocalTime;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes whose ranges are continuously split and merged by commands to any of them while
 * clients publish; during a merge, one node is killed with {@code kill -9} and restarted.
 *
 * <p>What is done where, and when a node is killed, comes from a seed that a failure prints; repeat
 * with {@code -Dfjordmq.reshape.seed=N -Dfjordmq.reshape.rounds=N}.
 */
@Tag("slow")
class ReshapedClusterTest {
  private static final int ROUNDS = Integer.getInteger("fjordmq.reshape.rounds", 2);
  private static final long SEED = Long.getLong("fjordmq.reshape.seed", System.nanoTime());
  private static final int NODES = 3;
  private static final int PAIRS = 6;
  private static final int PARTS = 4;
  private static final int MAX_MILLIS_UNTIL_A_KILL = 1_200;
  private static final long TIMEOUT_SECONDS = 180;

  /** How many of a node's latest warnings a failure shows. */
  private static final int WARNINGS = 15;

  /** Ranges are split and merged only on request, and soon. */
  private static final String BY_HAND =
      """
      storeConfig:
        dist:
          splitByLoad: false
        inbox:
          splitByLoad: false
        retain:
          splitByLoad: false
      splitConfig:
        mergeAfter: 0 s
      placementConfig:
        mergeTimeout: 15 s
      rangeConfig:
        checkpointInterval: 500 ms
      inboxConfig:
        initialRanges: 1
        limits:
          maxMessages: 1000000
      """;

  @TempDir Path directory;
  private final Random random = new Random(SEED);

  /** The commands and their results, to analyze a failure. */
  private final List<String> log = new CopyOnWriteArrayList<>();

  private ClusterUnderTest cluster;

  @BeforeEach
  void start() {
    cluster = ClusterUnderTest.startIn(directory, NODES, BY_HAND);
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  @Test
  void shouldLoseNoMessageDuringSplitsMergesAndANodeCrash() {
    try (CrashPairs pairs = new CrashPairs(PAIRS, cluster.nodes());
        FreshSubscriptions fresh = new FreshSubscriptions(cluster.node(1), cluster.node(2))) {
      CrashPublisher first = pairs.publishers().get(0);
      try (CrashSubscriber away = new CrashSubscriber(cluster.node(2).mqtt(), "away")) {
        away.subscribe(first.topic());
      }
      pairs.start();
      fresh.start();
      for (int round = 0; round < ROUNDS; round++) {
        splitInboxes();
        killDuringAMerge(pairs);
        mergeAll("inbox");
      }
      mergeAll("dist");
      mergeAll("retain");
      awaitProgress(pairs);
      fresh.finish();
      pairs.finish();

      pairs.assertArrived();
      try (CrashSubscriber back = new CrashSubscriber(cluster.node(3).mqtt(), "away")) {
        CrashPairs.assertArrived(back, first);
      }
      assertThat(fresh.deliveredCount()).isPositive();
      for (BrokerUnderTest node : cluster.nodes()) {
        for (String store : List.of("dist", "inbox", "retain")) {
          Await.until(
              "one range of " + store + " at every node, seed " + SEED,
              TIMEOUT_SECONDS,
              () -> ranges(node).names(store).size() == 1);
        }
      }
    } catch (AssertionError e) {
      String recentLog = String.join("\n", log);
      throw new AssertionError(
          "seed %d: %s%n%s%n%s".formatted(SEED, e.getMessage(), recentLog, states()), e);
    }
  }

  /** The ranges and the latest warnings of each node. */
  private String states() {
    return cluster.nodes().stream()
        .map(node -> "%s:%n%s%n%s".formatted(name(node), status(node), warnings(node)))
        .collect(Collectors.joining("\n"));
  }

  private static String status(BrokerUnderTest node) {
    return node.isRunning() ? Scrape.get(node.httpPort(), "/status").body() : "not running";
  }

  private static String warnings(BrokerUnderTest node) {
    List<String> lines =
        node.lastOutput()
            .lines()
            .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
            .toList();
    return String.join("\n", lines.subList(Math.max(0, lines.size() - WARNINGS), lines.size()));
  }

  /** The ranges as a node reports them; they must be complete at any time. */
  private static StatusRanges ranges(BrokerUnderTest node) {
    StatusRanges ranges = StatusRanges.at(node);
    ranges.assertComplete();
    return ranges;
  }

  private BrokerUnderTest anyNode() {
    return cluster.node(1 + random.nextInt(NODES));
  }

  private void splitInboxes() {
    Await.until(
        PARTS + " ranges of inboxes",
        TIMEOUT_SECONDS,
        () -> {
          List<String> names = ranges(anyNode()).names("inbox");
          if (names.size() < PARTS) {
            runCommand(anyNode(), "split " + names.get(random.nextInt(names.size())));
          }
          return names.size() >= PARTS;
        });
  }

  private void mergeAll(String store) {
    Await.until(
        "one range of " + store,
        TIMEOUT_SECONDS,
        () -> {
          List<String> names = ranges(anyNode()).names(store);
          if (names.size() > 1) {
            runCommand(anyNode(), "merge " + anyButLast(names));
          }
          return names.size() == 1;
        });
  }

  private String runCommand(BrokerUnderTest node, String command) {
    String response = node.command(command);
    recordEvent(
        "%s, asked for '%s': %s".formatted(name(node), command, response.replace('\n', ' ')));
    return response;
  }

  private void recordEvent(String what) {
    log.add(LocalTime.now() + " " + what);
  }

  private String name(BrokerUnderTest node) {
    return "node " + (1 + cluster.nodes().indexOf(node));
  }

  /** A range with a successor that can be merged into it. */
  private String anyButLast(List<String> names) {
    return names.get(random.nextInt(names.size() - 1));
  }

  private void killDuringAMerge(CrashPairs pairs) {
    int asked = random.nextInt(NODES);
    BrokerUnderTest survivor = cluster.nodes().get(asked);
    BrokerUnderTest victim = cluster.nodes().get((asked + 1 + random.nextInt(NODES - 1)) % NODES);
    String left = anyButLast(ranges(survivor).names("inbox"));
    CompletableFuture<String> response =
        CompletableFuture.supplyAsync(() -> runCommand(survivor, "merge " + left));
    pause(random.nextInt(MAX_MILLIS_UNTIL_A_KILL));
    victim.kill();
    recordEvent(name(victim) + " is killed");
    awaitProgress(pairs);
    ranges(survivor);
    victim.restart();
    recordEvent(name(victim) + " is back");
    assertThat(response.join()).containsPattern("^[01]\n"); // done, or canceled
  }

  private static void awaitProgress(CrashPairs pairs) {
    int before = pairs.acknowledgedCount();
    Await.until("progress", TIMEOUT_SECONDS, () -> pairs.acknowledgedCount() > before + 10 * PAIRS);
  }

  private static void pause(int millis) {
    long moment = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    Await.until("the moment to kill", 5, () -> System.nanoTime() >= moment);
  }
}
