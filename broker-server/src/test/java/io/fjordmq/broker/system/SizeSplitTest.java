package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.client.mqtt.datatypes.MqttQos;
import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A node splits an idle range that exceeds its size limit. */
@Tag("slow")
class SizeSplitTest {
  private static final int TOPICS = 400;
  private static final int BYTES_EACH = 48_000;
  private static final long MAX_RANGE_BYTES = 16 << 20;

  private static final String SMALL_RANGES =
      """
      sessionConfig:
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      storeConfig:
        retain:
          splitByLoad: false
      retainConfig:
        initialRanges: 1
      splitConfig:
        maxRangeBytes: 16 MiB
        cooldown: 1 s
      rangeConfig:
        checkpointInterval: 500 ms
      """;

  @TempDir Path directory;

  @Test
  void shouldSplitALargeRetainRangeWithoutLoss() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, SMALL_RANGES, List.of());
        Mqtt5Session publisher = new Mqtt5Session(broker.mqtt(), "publisher")) {
      publisher.connect();
      Random random = new Random(1); // compression must not make it small
      for (int i = 0; i < TOPICS; i++) {
        byte[] noise = new byte[BYTES_EACH];
        random.nextBytes(noise);
        String payload = Base64.getEncoder().encodeToString(noise);
        publisher.publish("kept/" + i, MqttQos.AT_LEAST_ONCE, payload, p -> p.retain(true));
      }
      Await.until(
          "parts that are small enough",
          120,
          () ->
              broker.scrape().value("fjordmq_ranges{store=\"retain\"}") >= 2
                  && broker.scrape().value("fjordmq_range_largest_bytes{store=\"retain\"}")
                      <= MAX_RANGE_BYTES);
      StatusRanges.at(broker).assertComplete();
      assertThat(broker.output()).contains("Requesting a split: size").doesNotContain("ERROR");
      try (Mqtt5Session subscriber = new Mqtt5Session(broker.mqtt(), "subscriber")) {
        subscriber.connect();
        subscriber.subscribe("kept/#", MqttQos.AT_LEAST_ONCE);
        Await.until("all retained messages", 60, () -> subscriber.queuedMessages() == TOPICS);
      }
    }
  }
}
