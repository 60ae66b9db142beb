package io.fjordmq.perf.machine;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Ranges led by each node, read from its metrics. */
class BrokerWatchTest {
  private static HttpServer startNode(String page) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/metrics",
        exchange -> {
          byte[] bytes = page.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static URI metricsUri(HttpServer node) {
    return URI.create("http://127.0.0.1:" + node.getAddress().getPort() + "/metrics");
  }

  @Test
  void shouldSumTheRangesLedByEachNode() throws IOException {
    HttpServer one =
        startNode(
            """
            # TYPE fjordmq_ranges_led gauge
            fjordmq_ranges{store="inbox"} 9.0
            fjordmq_ranges_led{store="inbox"} 4.0
            fjordmq_ranges_led{store="dist"} 1.0
            """);
    HttpServer other = startNode("fjordmq_ranges_led{store=\"inbox\"} 2.0\n");
    try {
      assertThat(
              new BrokerWatch(List.of(), List.of(metricsUri(one), metricsUri(other))).rangesLed())
          .succeedsWithin(java.time.Duration.ofMinutes(1))
          .isEqualTo(List.of(5, 2));
      assertThat(
              new BrokerWatch(List.of(), List.of(metricsUri(one), metricsUri(other)))
                  .rangesLed("inbox"))
          .succeedsWithin(java.time.Duration.ofMinutes(1))
          .isEqualTo(List.of(4, 2));
      other.stop(0);
      assertThat(
              new BrokerWatch(List.of(), List.of(metricsUri(one), metricsUri(other))).rangesLed())
          .succeedsWithin(java.time.Duration.ofMinutes(1))
          .isEqualTo(List.of());
    } finally {
      one.stop(0);
      other.stop(0);
    }
  }
}
