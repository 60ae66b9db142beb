package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node splits the range of its busy inboxes while messages go on, and by hand. */
@Tag("slow")
class LoadSplitTest {
  private static final int PAIRS = 8;

  /** Hot soon, and nothing that a slow machine could take for a reason against it. */
  private static final String EAGER =
      """
      storeConfig:
        inbox:
          maxIoDensity: 5
          ioNanosLimit: 1000000000
      splitConfig:
        cpuLimitPercent: 100
        maxRanges: 8
        leastAge: 1 s
        pause: 1 s
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
  void shouldSplitWhatHasTooMuchToDoAndLoseNothing() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, EAGER, List.of())) {
      assertThat(command(broker, "split inbox-9")).startsWith("1").contains("no range 'inbox-9'");
      assertThat(command(broker, "split")).startsWith("2").contains("split RANGE");
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
      Waiting.until("a split", 120, () -> inboxRanges(broker) >= 2);
      double before = inboxRanges(broker);
      Waiting.until(
          "a split by hand, or by load meanwhile",
          60,
          () -> command(broker, "split inbox-1").startsWith("0") || inboxRanges(broker) > before);
      publishers.forEach(CrashPublisher::finish);
      for (int i = 0; i < PAIRS; i++) {
        CrashPublisher publisher = publishers.get(i);
        CrashSubscriber subscriber = subscribers.get(i);
        assertThat(publisher.refused()).isEmpty();
        Waiting.until(
            "everything for " + subscriber.name(),
            60,
            () -> subscriber.distinct(publisher.topic()).containsAll(publisher.acknowledged()));
        assertThat(subscriber.distinct(publisher.topic())).isSorted();
        publisher.close();
        subscriber.close();
      }
      assertThat(
              broker
                  .scrape()
                  .value("fjordmq_range_decisions_total{decision=\"split\",store=\"inbox\"}"))
          .isPositive();
      assertThat(Scrape.get(broker.httpPort(), "/status").body())
          .contains("requests/s", "range inbox-2");
      assertThat(broker.output()).contains("is to be split at").doesNotContain("ERROR");
    }
  }

  /** As {@code bin/standalone.sh} asks; the first line of the answer is the exit code. */
  private static String command(BrokerUnderTest broker, String words) {
    Path folder = broker.node().resolve("data/control");
    Path answer = folder.resolve("test.answer");
    try {
      Files.writeString(folder.resolve("test.new"), words + "\n");
      Files.move(folder.resolve("test.new"), folder.resolve("test.request"));
      Waiting.until("an answer to " + words, 60, () -> Files.exists(answer));
      String text = Files.readString(answer);
      Files.delete(answer);
      return text;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
