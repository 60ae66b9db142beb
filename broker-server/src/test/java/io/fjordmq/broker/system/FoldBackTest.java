package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node's busy range of inboxes is split by its load; the load goes, and the ranges become one
 * again while messages go on slowly.
 */
@Tag("slow")
class FoldBackTest {
  private static final int PAIRS = 8;

  /** Hot soon, idle soon, and nothing that a slow machine could take for a reason against it. */
  private static final String EAGER =
      """
      storeConfig:
        inbox:
          maxIoDensity: 20
          ioNanosLimit: 1000000000
      splitConfig:
        cpuLimitPercent: 100
        maxRanges: 8
        leastAge: 1 s
        pause: 1 s
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
  void shouldBecomeOneRangeAgainWhenTheLoadHasGoneAndLoseNothing() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, EAGER, List.of())) {
      List<CrashSubscriber> subscribers = new ArrayList<>();
      List<CrashPublisher> publishers = new ArrayList<>();
      for (int i = 0; i < PAIRS; i++) {
        CrashPublisher publisher =
            new CrashPublisher(broker.mqtt(), "pair-" + i, MqttQos.AT_LEAST_ONCE);
        CrashSubscriber subscriber = new CrashSubscriber(broker.mqtt(), "inbox-of-" + i);
        subscriber.subscribe(publisher.topic());
        publishers.add(publisher);
        subscribers.add(subscriber);
      }
      publishers.forEach(CrashPublisher::start);
      Waiting.until("two splits", 120, () -> inboxRanges(broker) >= 3);
      publishers.forEach(CrashPublisher::finish);
      Waiting.until("all are one again", 240, () -> inboxRanges(broker) == 1);

      for (int i = 0; i < PAIRS; i++) {
        CrashPublisher publisher = publishers.get(i);
        CrashSubscriber subscriber = subscribers.get(i);
        assertThat(publisher.refused()).isEmpty();
        Waiting.until(
            "everything for " + subscriber.name(),
            60,
            () -> subscriber.distinct(publisher.topic()).containsAll(publisher.acknowledged()));
        assertThat(subscriber.distinct(publisher.topic())).isSorted();
      }
      // What was merged serves: new sessions, and new messages for those that there are.
      CrashPublisher late = new CrashPublisher(broker.mqtt(), "late", MqttQos.AT_LEAST_ONCE);
      for (CrashSubscriber subscriber : subscribers) {
        subscriber.subscribe(late.topic());
      }
      late.start();
      Waiting.until("some messages", 60, () -> late.acknowledged().size() >= 5);
      late.finish();
      for (CrashSubscriber subscriber : subscribers) {
        Waiting.until(
            "the late ones for " + subscriber.name(),
            60,
            () -> subscriber.distinct(late.topic()).containsAll(late.acknowledged()));
      }
      Scrape scrape = broker.scrape();
      assertThat(scrape.value("fjordmq_range_merges_total{store=\"inbox\"}")).isGreaterThan(1);
      assertThat(scrape.value("fjordmq_range_decisions_total{decision=\"merge\",store=\"inbox\"}"))
          .isPositive();
      assertThat(broker.output()).contains("has taken in").doesNotContain("ERROR");
      late.close();
      publishers.forEach(CrashPublisher::close);
      subscribers.forEach(CrashSubscriber::close);
    }
  }
}
