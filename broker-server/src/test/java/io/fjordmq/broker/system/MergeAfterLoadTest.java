package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node splits a busy inbox range by its load; when the load stops, the ranges are merged while
 * messages continue slowly.
 */
@Tag("slow")
class MergeAfterLoadTest {
  private static final int PAIRS = 8;

  /** Ranges are busy soon and idle soon, and a slow machine does not prevent a split. */
  private static final String EAGER_SPLITS =
      """
      storeConfig:
        inbox:
          maxIoDensity: 20
          ioNanosLimit: 1000000000
      splitConfig:
        cpuLimitPercent: 100
        maxRanges: 8
        minAge: 1 s
        cooldown: 1 s
        mergeAfter: 4 s
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
  void shouldMergeSplitRangesWithoutLossWhenTheLoadStops() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, EAGER_SPLITS, List.of());
        CrashPairs pairs = new CrashPairs(PAIRS, List.of(broker));
        CrashPublisher late = new CrashPublisher(broker.mqtt(), "late", MqttQos.AT_LEAST_ONCE)) {
      pairs.start();
      Await.until("two splits", 120, () -> inboxRanges(broker) >= 3);
      StatusRanges.at(broker).assertComplete();
      pairs.finish();
      Await.until("all ranges are merged", 240, () -> inboxRanges(broker) == 1);
      StatusRanges.at(broker).assertComplete();
      pairs.assertNothingRefused();
      pairs.assertArrived();
      // The merged range accepts new subscriptions and messages.
      pairs.subscribers().forEach(subscriber -> subscriber.subscribe(late.topic()));
      late.start();
      Await.until("some messages", 60, () -> late.acknowledged().size() >= 5);
      late.finish();
      pairs.subscribers().forEach(subscriber -> CrashPairs.assertArrived(subscriber, late));
      Scrape scrape = broker.scrape();
      assertThat(scrape.value("fjordmq_range_merges_total{store=\"inbox\"}")).isGreaterThan(1);
      assertThat(scrape.value("fjordmq_range_decisions_total{decision=\"merge\",store=\"inbox\"}"))
          .isPositive();
      assertThat(broker.output()).contains("Ranges merged").doesNotContain("ERROR");
    }
  }
}
