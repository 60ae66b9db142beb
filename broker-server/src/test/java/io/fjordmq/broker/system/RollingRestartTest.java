package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** All nodes of a cluster are restarted with --drain, one after the other, under load. */
@Tag("slow")
class RollingRestartTest {
  private static final int NODES = 3;
  private static final int PAIRS = 30;
  private static final long PERIOD_MILLIS = 50;

  /** Messages that each pair exchanges before the first restart and after each. */
  private static final int CALM_MESSAGES = 20;

  private static final int ROUNDS = Integer.getInteger("fjordmq.rolling.rounds", 1);

  @TempDir Path directory;

  @Test
  void shouldLoseNoMessageWhileEveryNodeIsDrainedAndRestarted() throws InterruptedException {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, NODES, "")) {
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
      for (int restart = 0; restart < ROUNDS * NODES; restart++) {
        pairs.forEach(PublisherSubscriberPair::resetTimes);
        BrokerUnderTest node = cluster.node(1 + restart % NODES);
        assertThat(node.drain()).isZero();
        node.restart();
        awaitMessages(pairs);
        printWaits(1 + restart % NODES, pairs);
      }
      publishing.shutdown();
      assertThat(publishing.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
      assertEverythingArrives(pairs);
      pairs.forEach(PublisherSubscriberPair::end);
    }
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
        30,
        () -> pairs.stream().allMatch(pair -> pair.acknowledged() == pair.published()));
    Await.until(
        "every message",
        30,
        () -> pairs.stream().allMatch(pair -> pair.received().size() == pair.published()));
    for (PublisherSubscriberPair pair : pairs) {
      assertThat(pair.refusals()).isEmpty();
      assertThat(pair.received()).isEqualTo(IntStream.range(0, pair.published()).boxed().toList());
      assertThat(pair.moves()).as("clients were sent away").isPositive();
    }
  }

  /** Printed for information only, because it depends on the machine. */
  private static void printWaits(int node, List<PublisherSubscriberPair> pairs) {
    System.out.printf(
        "restart of node %d: longest time without service of each client, median/worst:"
            + " publishers %s ms, subscribers %s ms%n",
        node,
        spread(pairs, PublisherSubscriberPair::longestAckMillis),
        spread(pairs, PublisherSubscriberPair::longestSilenceMillis));
  }

  private static String spread(
      List<PublisherSubscriberPair> pairs, ToLongFunction<PublisherSubscriberPair> figure) {
    List<Long> sorted = pairs.stream().map(figure::applyAsLong).sorted().toList();
    return sorted.get(sorted.size() / 2) + "/" + sorted.get(sorted.size() - 1);
  }
}
