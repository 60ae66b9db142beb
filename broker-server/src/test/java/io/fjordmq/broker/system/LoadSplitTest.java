package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node splits a busy inbox range during traffic, by itself and by command. */
@Tag("slow")
class LoadSplitTest {
  private static final int PAIRS = 8;

  /** Ranges are busy soon, and a slow machine does not prevent the split. */
  private static final String EAGER =
      """
      storeConfig:
        inbox:
          maxIoDensity: 5
          ioNanosLimit: 1000000000
      splitConfig:
        cpuLimitPercent: 100
        maxRanges: 8
        minAge: 1 s
        cooldown: 1 s
      rangeConfig:
        checkpointInterval: 500 ms
      inboxConfig:
        initialRanges: 1
      """;

  @TempDir Path directory;

  private static double inboxRanges(BrokerUnderTest broker) {
    return broker.scrape().value("fjordmq_ranges{store=\"inbox\"}");
  }

  @Test
  void shouldSplitABusyRangeWithoutLoss() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, EAGER, List.of());
        CrashPairs pairs = new CrashPairs(PAIRS, List.of(broker))) {
      assertThat(broker.command("split inbox-9"))
          .startsWith("1")
          .contains("unknown range 'inbox-9'");
      assertThat(broker.command("split")).startsWith("2").contains("split RANGE");
      pairs.start();
      Await.until("a split", 120, () -> inboxRanges(broker) >= 2);
      double before = inboxRanges(broker);
      Await.until(
          "a split by hand, or by load meanwhile",
          60,
          () -> broker.command("split inbox-1").startsWith("0") || inboxRanges(broker) > before);
      pairs.finish();
      pairs.assertNothingRefused();
      pairs.assertArrived();
      StatusRanges.at(broker).assertComplete();
      assertThat(
              broker
                  .scrape()
                  .value("fjordmq_range_decisions_total{decision=\"split\",store=\"inbox\"}"))
          .isPositive();
      assertThat(Scrape.get(broker.httpPort(), "/status").body())
          .contains("requests/s", "range inbox-2");
      assertThat(broker.output()).contains("Requesting a split").doesNotContain("ERROR");
    }
  }
}
