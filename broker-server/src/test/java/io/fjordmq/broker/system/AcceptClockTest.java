package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that appears to have been stopped for a day waits for the operator to accept its clock.
 */
@Tag("slow")
class AcceptClockTest {
  private static final Duration STOPPED = Duration.ofDays(1);
  private static final String DIFFERENCE = "fjordmq_clock_difference_seconds";
  private static final String COMMAND = "accept-clock";
  private static final String REMARK =
      " s ahead of cluster time, so delayed messages and expiries are late";
  private static final long TIMEOUT_SECONDS = 60;

  @TempDir Path directory;

  @Test
  void shouldContinueFromTheSavedTimeUntilTheOperatorAcceptsTheClock() throws IOException {
    try (ClusterUnderTest cluster = ClusterUnderTest.startIn(directory, 1, "")) {
      BrokerUnderTest node = cluster.node(1);
      assertThat(node.command(COMMAND))
          .startsWith("1\n")
          .contains("the wall clocks of the nodes are not ahead of cluster time");
      node.kill();
      long saved = Instant.now().minus(STOPPED).toEpochMilli();
      Files.writeString(
          node.nodeDirectory().resolve("data/clock"), "fjordmq clock, form 1\n" + saved + "\n");
      node.relaunch();
      node.awaitListening();

      assertThat(node.scrape().value(DIFFERENCE)).isGreaterThan(STOPPED.minusHours(1).toSeconds());
      assertThat(status(node)).contains(REMARK);
      assertThat(node.command(COMMAND)).startsWith("0\n").contains("cluster time has advanced by");
      Await.until(
          "cluster time is the wall clock",
          TIMEOUT_SECONDS,
          () -> Math.abs(node.scrape().value(DIFFERENCE)) < 1);
      assertThat(status(node)).doesNotContain(REMARK);
    }
  }

  private static String status(BrokerUnderTest node) {
    return Scrape.get(node.httpPort(), "/status").body();
  }
}
