package io.fjordmq.broker.system;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.Await;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A small node whose HTTP port receives every request from clients that never read. */
@Tag("slow")
class NeverReadingHttpClientTest {
  private static final int CLIENTS = 30;
  private static final int REQUESTS = 2_000;
  private static final byte[] PIPELINED =
      "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(REQUESTS).getBytes(US_ASCII);

  private static final List<String> LITTLE_MEMORY =
      List.of(
          "env",
          "_JAVA_OPTIONS=-Xmx256m -XX:MaxDirectMemorySize=64m -XX:+UseSerialGC",
          "FJORDMQ_HTTPCONFIG__WRITETIMEOUT=3 s");

  @TempDir Path directory;

  @Test
  void shouldDisconnectHttpClientsThatNeverReadWithoutAffectingOthers() throws IOException {
    try (BrokerUnderTest broker = BrokerUnderTest.startIn(directory, "", LITTLE_MEMORY);
        Bystander bystander = new Bystander(broker.mqtt())) {
      List<SocketChannel> stuck = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        stuck.add(neverReading(broker.httpPort()));
      }
      Await.until(
          "all of them are disconnected",
          120,
          () -> {
            bystander.assertUnaffected();
            assertThat(Scrape.get(broker.httpPort(), "/livez").status()).isEqualTo(200);
            assertThat(Scrape.get(broker.httpPort(), "/readyz").body()).isEqualTo("ready\n");
            RawClient.openConnected(broker.mqtt(), 5, "late", 0).close();
            return stuck.stream().allMatch(NeverReadingHttpClientTest::isClosedOnceRead);
          });
      Scrape after = broker.scrape();
      assertThat(after.sum("fjordmq_http_limited_total")).isPositive();
      assertThat(after.value("fjordmq_overloaded")).isZero();
      assertThat(broker.output()).doesNotContain("OutOfMemory", "overloaded", "\tat ");
    }
  }

  /** Sends as much as the server reads. */
  private static SocketChannel neverReading(int port) throws IOException {
    SocketChannel client =
        SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    client.configureBlocking(false);
    client.write(ByteBuffer.wrap(PIPELINED));
    return client;
  }

  /** Detects a closed connection by writing, because unread data remains readable. */
  private static boolean isClosedOnceRead(SocketChannel client) {
    try {
      client.write(ByteBuffer.wrap("GET /livez HTTP/1.1\r\n".getBytes(US_ASCII)));
      return false;
    } catch (IOException e) {
      return true;
    }
  }
}
