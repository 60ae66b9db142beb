package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.fjordmq.testing.RecordBuilder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Clients without credentials whose bodies arrive byte by byte, and the memory of bodies. */
class SlowBodiesTest {
  private static final int PLACES = 4;

  private final Queue<HttpLimit> limits = new ConcurrentLinkedQueue<>();
  private final Semaphore reading = new Semaphore(0);
  private final List<RawHttp> clients = new ArrayList<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    HttpSettings settings =
        RecordBuilder.from(HttpSettings.DEFAULTS)
            .with(HttpSettings::port, 0)
            .with(HttpSettings::maxPendingApiRequests, PLACES)
            .with(HttpSettings::maxPendingRequestBytes, 1L << 20)
            .build();
    server =
        HttpServer.start(
            settings,
            new Pages(format -> "", List::of, () -> CompletableFuture.completedFuture("")),
            new TestApi(this::answer),
            limits::add);
  }

  /** Callers with the header Authorization are authenticated. */
  private CompletableFuture<HttpReply> answer(ApiCall call) {
    CompletableFuture<byte[]> body =
        call.authorization().isPresent() ? call.body().read() : call.body().readAnonymous();
    reading.release();
    return body.handle(
        (bytes, failure) ->
            failure == null
                ? TestApi.reply(200, new String(bytes, StandardCharsets.US_ASCII))
                : TestApi.reply(400, failure.toString()));
  }

  @AfterEach
  void stop() {
    clients.forEach(RawHttp::close);
    server.close();
  }

  private RawHttp open() {
    RawHttp client = new RawHttp(server.port());
    clients.add(client);
    return client;
  }

  private RawHttp post(int length, String... headers) {
    List<String> lines = new ArrayList<>(List.of("POST /api/login HTTP/1.1", "Host: a"));
    lines.addAll(List.of(headers));
    lines.add("Content-Length: " + length);
    lines.add("Connection: close");
    return open().request(lines.toArray(String[]::new));
  }

  private static String body(RawHttp client) {
    List<String> lines = client.readResponse();
    return lines.isEmpty() ? "" : lines.get(lines.size() - 1);
  }

  @Test
  void shouldServeCallersWithCredentialsWhileOthersTrickleTheirBodies() throws Exception {
    List<RawHttp> slow = new ArrayList<>();
    for (int i = 0; i < 3 * PLACES; i++) {
      slow.add(post(100).send("{"));
      reading.acquire();
    }
    for (int i = 0; i < 2 * PLACES; i++) {
      slow.forEach(SlowBodiesTest::trickle);
      assertThat(body(post(4, "Authorization: secret").send("done"))).isEqualTo("done");
      assertThat(body(post(5).send("login"))).as("without credentials").isEqualTo("login");
    }
    assertThat(slow.get(0).isClosed())
        .as("the one that has waited longest gave up its place")
        .isTrue();
  }

  private static void trickle(RawHttp client) {
    try {
      client.send(" ");
    } catch (UncheckedIOException e) {
      // the server has closed the connection
    }
  }

  @Test
  void shouldNotGiveUpRequestsOfCallersWithCredentials() throws Exception {
    List<RawHttp> slow = new ArrayList<>();
    for (int i = 0; i < PLACES; i++) {
      slow.add(post(4, "Authorization: secret").send("d"));
    }
    reading.acquire(PLACES);
    assertThat(post(5).send("login").readResponse().get(0)).contains(" 503 ");
    assertThat(limits).contains(HttpLimit.PENDING_API_REQUESTS);
    for (RawHttp client : slow) {
      assertThat(body(client.send("one"))).isEqualTo("done");
    }
  }

  @Test
  void shouldLimitBodiesOfCallersWithoutCredentials() {
    assertThat(body(post(16 << 10).send("x".repeat(16 << 10)))).hasSize(16 << 10);
    assertThat(body(post((16 << 10) + 1).send("x".repeat((16 << 10) + 1))))
        .contains("the maximum without credentials");
  }

  @Test
  void shouldLimitTheMemoryOfAllBodies() throws Exception {
    RawHttp large = post(120_000, "Authorization: secret").send("x");
    reading.acquire();
    assertThat(body(post(120_000, "Authorization: secret").send("x"))).contains("too much memory");
    assertThat(limits).contains(HttpLimit.PENDING_REQUEST_BYTES);
    assertThat(body(post(4, "Authorization: secret").send("done"))).isEqualTo("done");
    assertThat(body(large.send("x".repeat(119_999)))).hasSize(120_000);
    assertThat(body(post(120_000, "Authorization: secret").send("x".repeat(120_000))))
        .hasSize(120_000);
  }
}
