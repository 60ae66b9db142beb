package io.fjordmq.broker.http;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.broker.testing.Certs;
import io.fjordmq.testing.Await;
import io.fjordmq.testing.RecordBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLSocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Misbehaving clients and slow pages use bounded resources, and probes are answered. */
class HttpLimitsTest {
  private static final int PAGE_BYTES = 256 << 10;
  private static final int PIPELINED = 500;

  /** Small, so that the kernel buffers few pages of the server. */
  private static final int RECEIVE_BUFFER = 4 << 10;

  private final Map<HttpLimit, LongAdder> limitCounts = new ConcurrentHashMap<>();
  private final AtomicInteger renderedPages = new AtomicInteger();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private final List<RawHttp> clients = new ArrayList<>();
  private final List<HttpServer> servers = new ArrayList<>();

  @AfterEach
  void stop() {
    unblock.countDown();
    clients.forEach(RawHttp::close);
    servers.forEach(HttpServer::close);
  }

  private void start(HttpSettings settings, Pages pages) throws IOException {
    servers.add(HttpServer.start(settings, pages, TestApi.NONE, limit -> count(limit, 1)));
  }

  private void count(HttpLimit limit, int times) {
    limitCounts.computeIfAbsent(limit, any -> new LongAdder()).add(times);
  }

  private Pages largePages() {
    String page = "x".repeat(PAGE_BYTES);
    return new Pages(
        format -> {
          renderedPages.incrementAndGet();
          return page;
        },
        List::of,
        () -> CompletableFuture.completedFuture(page));
  }

  private int port() {
    return servers.get(0).port();
  }

  private void awaitUnblocked() {
    try {
      if (!unblock.await(60, TimeUnit.SECONDS)) {
        throw new IllegalStateException("the page was not unblocked in time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private long count(HttpLimit limit) {
    LongAdder count = limitCounts.get(limit);
    return count == null ? 0 : count.sum();
  }

  private Socket connectSocket() throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(RECEIVE_BUFFER);
    socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port()));
    return socket;
  }

  private RawHttp openNeverReadingClient() {
    try {
      return openNeverReadingClient(connectSocket());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Pipelines many requests and reads nothing. */
  private RawHttp openNeverReadingClient(Socket socket) {
    try {
      socket
          .getOutputStream()
          .write("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(PIPELINED).getBytes(US_ASCII));
      RawHttp client = new RawHttp(socket);
      clients.add(client);
      return client;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String statusOf(String path) {
    try (RawHttp client = new RawHttp(port())) {
      List<String> answer =
          client
              .request("GET " + path + " HTTP/1.1", "Host: a", "Connection: close")
              .readResponse();
      return answer.isEmpty() ? "closed" : answer.get(0);
    }
  }

  private void await(String what, BooleanSupplier condition) {
    Await.until(() -> what + "; " + limitCounts + " rendered " + renderedPages, condition);
  }

  @Test
  void shouldDisconnectClientsThatNeverReadAndRenderFewOfTheirPages() throws IOException {
    start(
        TestHttpSettings.limits(64, 16, 16 << 20, Duration.ofSeconds(30), Duration.ofSeconds(1)),
        largePages());
    List<RawHttp> stuck =
        List.of(openNeverReadingClient(), openNeverReadingClient(), openNeverReadingClient());
    await("write time-outs", () -> count(HttpLimit.WRITE_TIMEOUT) == stuck.size());
    assertThat(renderedPages.get()).isLessThan(stuck.size() * PIPELINED / 2);
    int before = renderedPages.get();
    assertThat(statusOf("/livez")).contains("200");
    assertThat(statusOf("/metrics")).contains("200");
    assertThat(renderedPages.get()).as("not for closed connections").isEqualTo(before + 1);
  }

  @Test
  void shouldDisconnectClientsThatNeverReadOverTls(@TempDir Path folder) throws Exception {
    Certs certs = new Certs(folder);
    X509Bundle bundle = certs.server();
    start(
        RecordBuilder.from(
                TestHttpSettings.limits(
                    64, 16, 16 << 20, Duration.ofSeconds(30), Duration.ofSeconds(1)))
            .with(HttpSettings::certFile, certs.certificate("http", bundle).toString())
            .with(HttpSettings::keyFile, certs.key("http", bundle).toString())
            .build(),
        largePages());
    SSLSocketFactory sockets = certs.trusting(null).getSocketFactory();
    try (RawHttp probe =
        new RawHttp(sockets.createSocket(connectSocket(), "localhost", port(), true))) {
      assertThat(
              probe.request("GET /livez HTTP/1.1", "Host: a", "Connection: close").readResponse())
          .contains("alive");
    }
    for (int i = 0; i < 3; i++) {
      openNeverReadingClient(sockets.createSocket(connectSocket(), "localhost", port(), true));
    }
    await("write time-outs", () -> count(HttpLimit.WRITE_TIMEOUT) == 3);
    assertThat(renderedPages.get()).isBetween(1, 3 * PIPELINED / 2);
  }

  @Test
  void shouldDisconnectStalledClientsInFavorOfNewRequests() throws IOException {
    start(
        TestHttpSettings.limits(64, 2, 16 << 20, Duration.ofSeconds(30), Duration.ofMinutes(10)),
        largePages());
    openNeverReadingClient();
    openNeverReadingClient();
    await(
        "a request is refused or takes the place of a stalled one",
        () -> {
          statusOf("/metrics");
          return count(HttpLimit.PENDING_REQUESTS) > 0;
        });
    await("the stalled connections are closed", () -> statusOf("/metrics").contains("200"));
    assertThat(statusOf("/livez")).contains("200");
  }

  @Test
  void shouldBoundTheBytesQueuedForClients() throws IOException {
    start(
        TestHttpSettings.limits(
            64, 16, PAGE_BYTES + 1, Duration.ofSeconds(30), Duration.ofMinutes(10)),
        largePages());
    openNeverReadingClient();
    await(
        "the second page is refused or takes the place of a stalled one",
        () -> {
          statusOf("/status");
          return count(HttpLimit.PENDING_RESPONSE_BYTES) > 0;
        });
    await("the stalled connection is closed", () -> statusOf("/metrics").contains("200"));
    assertThat(statusOf("/readyz")).contains("200");
  }

  @Test
  void shouldAnswerProbesWhileOtherPagesBlock() throws IOException {
    start(
        TestHttpSettings.limits(64, 2, 16 << 20, Duration.ofSeconds(1), Duration.ofSeconds(30)),
        new Pages(
            format -> {
              awaitUnblocked();
              return "";
            },
            List::of,
            CompletableFuture::new));
    for (int i = 0; i < 4; i++) {
      clients.add(new RawHttp(port()).request("GET /metrics HTTP/1.1", "Host: a"));
    }
    assertThat(statusOf("/livez")).contains("200");
    assertThat(statusOf("/readyz")).contains("200");
    await("requests beyond the limit are refused", () -> count(HttpLimit.PENDING_REQUESTS) >= 2);
    await("the other requests time out", () -> count(HttpLimit.REQUEST_TIMEOUT) == 2);
    assertThat(statusOf("/metrics")).as("its thread is still blocked").contains("503");
    unblock.countDown();
    await("metrics are served again", () -> statusOf("/metrics").contains("200"));
    assertThat(statusOf("/status")).as("never completes").contains("503");
    assertThat(statusOf("/metrics")).contains("200");
  }

  @Test
  void shouldAnswerLivezWhileReadinessBlocks() throws IOException {
    start(
        TestHttpSettings.limits(8, 2, 16 << 20, Duration.ofSeconds(1), Duration.ofSeconds(30)),
        new Pages(
            format -> "a 1\n",
            () -> {
              awaitUnblocked();
              return List.of();
            },
            CompletableFuture::new));
    for (int i = 0; i < 20; i++) {
      clients.add(new RawHttp(port()).request("GET /readyz HTTP/1.1", "Host: a"));
    }
    assertThat(statusOf("/livez")).contains("200");
    assertThat(statusOf("/metrics")).contains("200");
    assertThat(statusOf("/readyz")).contains("503");
    unblock.countDown();
    await("readiness is served again", () -> statusOf("/readyz").contains("200"));
  }

  @Test
  void shouldCloseTheLongestIdleConnectionForANewOne() throws IOException {
    start(TestHttpSettings.maxConnections(3), largePages());
    List<RawHttp> silent = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      RawHttp client = new RawHttp(port()).request("HEAD /livez HTTP/1.1", "Host: a");
      silent.add(client);
      clients.add(client);
      assertThat(client.socket().getInputStream().read()).isEqualTo('H');
      int known = i;
      long mark = System.nanoTime();
      await("idle times differ", () -> System.nanoTime() - mark > 20_000_000L || known > 2);
    }
    assertThat(statusOf("/livez")).contains("200");
    assertThat(silent.get(0).readResponse()).as("the rest of its only response").isNotEmpty();
    assertThat(count(HttpLimit.CONNECTIONS)).isEqualTo(1);
    for (RawHttp kept : silent.subList(1, 3)) {
      assertThat(kept.request("GET /livez HTTP/1.1", "Host: a", "Connection: close").readResponse())
          .contains("alive");
    }
  }

  @Test
  void shouldAnswerProbesDespiteAThousandIdleConnections() throws IOException {
    start(TestHttpSettings.defaults(), largePages());
    for (int i = 0; i < 1_000; i++) {
      clients.add(new RawHttp(port()));
    }
    assertThat(statusOf("/livez")).contains("200");
    assertThat(statusOf("/readyz")).contains("200");
    assertThat(statusOf("/metrics")).contains("200");
    await("the oldest connections are closed", () -> count(HttpLimit.CONNECTIONS) >= 1_000 - 64);
    assertThat(clients.get(0).isClosed()).isTrue();
  }
}
