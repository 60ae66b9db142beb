package io.fjordmq.broker.system;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A process with little memory, flooded by subscribers that never read or never acknowledge: it
 * refuses new work, stays alive and recovers by itself.
 */
@Tag("slow")
class OverloadSystemTest {
  private static final int SUBSCRIBERS = 60;
  private static final int TIMEOUT_SECONDS = 180;

  /** Messages between two checks. */
  private static final int BATCH = 10;

  private static final String CONFIGURATION =
      """
      sessionConfig:
        readBytesPerSecond: 0
        writeBytesPerSecond: 0
      overloadConfig:
        checkInterval: 20 ms
        directHighPercent: 60
        directLowPercent: 40
        recoveryTime: 500 ms
        stuckAfter: 2 s
      """;

  /** Large queues per client, so that few clients are enough. */
  private static final List<String> LITTLE_MEMORY =
      List.of(
          "env",
          "JAVA_TOOL_OPTIONS=-Xmx160m -XX:MaxDirectMemorySize=48m",
          "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__WRITEBUFFERHIGHBYTES=1 MiB",
          "FJORDMQ_MQTTSERVERCONFIG__TCPLISTENER__WRITEBUFFERLOWBYTES=512 KiB");

  private static final String SMALL_HEAP =
      """
      sessionConfig:
        readBytesPerSecond: 0
        maxInflight: 1
        maxQueuedMessages: 100000
        maxQueuedBytes: 64 MiB
      overloadConfig:
        checkInterval: 20 ms
        heapHighPercent: 60
        heapLowPercent: 45
        recoveryTime: 500 ms
        stuckAfter: 2 s
      """;

  @TempDir Path directory;

  @Test
  void shouldRefuseNewWorkUntilStuckSubscribersAreGone() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, CONFIGURATION, LITTLE_MEMORY);
        RawClient early = RawClient.openConnected(broker.mqtt(), 5, "early", 0);
        RawClient flood = RawClient.openConnected(broker.mqtt(), 4, "flood", 0)) {
      List<RawClient> stuck = new ArrayList<>();
      for (int i = 0; i < SUBSCRIBERS; i++) {
        RawClient subscriber = RawClient.openConnected(broker.mqtt(), 4, "stuck" + i, 0);
        subscriber.send("82 06 0001 0001 61 00");
        assertThat(subscriber.next()).isEqualTo("9003000100");
        stuck.add(subscriber);
      }

      byte[] message = publishPacket(16_000);
      Await.until(
          "overload",
          TIMEOUT_SECONDS,
          () -> {
            flood.send(message);
            return broker.output().contains("Overloaded; rejecting new work: direct memory");
          });

      assertThat(Scrape.get(broker.httpPort(), "/readyz"))
          .satisfies(
              response -> {
                assertThat(response.status()).isEqualTo(503);
                assertThat(response.body()).containsAnyOf("direct memory", "a moment ago");
              });
      try (RawClient late = new RawClient(broker.mqtt())) {
        assertThat(late.send(RawClient.connectPacket(5, "late", 0)).next())
            .startsWith("20")
            .contains("0089");
      }
      assertThat(early.send("32 08 0001 62 0007 00 7878").next()).isEqualTo("4003000797");
      assertThat(early.send("82 07 0008 00 0001 62 01").next()).isEqualTo("900400080097");
      Await.until("recovery", TIMEOUT_SECONDS, () -> broker.output().contains("Overload ended"));
      assertThat(broker.scrape().value("fjordmq_overloaded")).isZero();

      RawClient.openConnected(broker.mqtt(), 5, "late", 0).close();
      assertThat(early.send("32 08 0001 62 0007 00 7878").next()).isEqualTo("4003000710");
      Scrape metrics = broker.scrape();
      assertThat(metrics.value("fjordmq_overload_refused_total{work=\"connect\"}")).isPositive();
      assertThat(metrics.value("fjordmq_overload_refused_total{work=\"subscribe\"}")).isEqualTo(1);
      assertThat(metrics.value("fjordmq_overload_refused_total{work=\"publish\"}")).isEqualTo(1);
      assertThat(metrics.value("fjordmq_connections_closed_total{reason=\"client_too_slow\"}"))
          .isPositive();
      assertThat(broker.output())
          .contains("Overloaded; rejecting new work: ")
          .contains("Overload ended")
          .doesNotContain("OutOfDirectMemoryError", "OutOfMemoryError");
      stuck.forEach(RawClient::close);
    }
  }

  /** After that, nothing triggers a garbage collection and thus a new reading. */
  @Test
  void shouldAcceptNewWorkAgainWhenTheHeapIsFreed() throws IOException {
    // Unlike others, this variable counts more than the command line.
    List<String> memory = List.of("env", "_JAVA_OPTIONS=-Xmx96m -XX:+UseSerialGC");
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, SMALL_HEAP, memory);
        RawClient publisher = RawClient.openConnected(broker.mqtt(), 5, "publisher", 0);
        RawClient slowReader = RawClient.openConnected(broker.mqtt(), 4, "hoarder", 0)) {
      slowReader.send("82 06 0001 0001 61 01");
      assertThat(slowReader.next()).isEqualTo("9003000101");
      byte[] message =
          HexFormat.of().parseHex("32aa8d060001610007" + "00" + "78".repeat(100_000 + 4));
      Await.until(
          "overload",
          TIMEOUT_SECONDS,
          () -> {
            for (int i = 0; i < BATCH; i++) {
              assertThat(publisher.send(message).next()).startsWith("40");
            }
            return broker.output().contains("Overloaded; rejecting new work: heap");
          });
      assertThat(publisher.send(message).next()).isEqualTo("4003000797");
      slowReader.close();
      Await.until("recovery", TIMEOUT_SECONDS, () -> broker.output().contains("Overload ended"));
      assertThat(broker.output())
          .contains("Requesting a garbage collection")
          .doesNotContain("OutOfMemoryError", "ignored a garbage collection request");
      assertThat(publisher.send("32 08 0001 62 0007 00 7878").next()).isEqualTo("4003000710");
    }
  }

  /** QoS 0 to topic "a". */
  private static byte[] publishPacket(int payload) {
    int remaining = payload + 3;
    byte[] packet = new byte[remaining + 4];
    packet[0] = 0x30;
    packet[1] = (byte) (remaining & 0x7F | 0x80);
    packet[2] = (byte) (remaining >> 7 & 0x7F | 0x80);
    packet[3] = (byte) (remaining >> 14);
    packet[5] = 1;
    packet[6] = 'a';
    return packet;
  }
}
