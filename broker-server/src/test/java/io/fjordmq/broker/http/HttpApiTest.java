package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.http.HttpSettings.AnonymousMetrics;
import io.fjordmq.broker.net.CertificateStatus;
import io.fjordmq.broker.testing.Certs;
import io.fjordmq.testing.RecordBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.zip.GZIPInputStream;
import javax.net.ssl.SSLSession;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests to the API: bodies, threads, limits, TLS, and who may read pages. */
class HttpApiTest {
  private final HttpClient client = HttpClient.newHttpClient();
  private final Queue<HttpLimit> limits = new ConcurrentLinkedQueue<>();
  private final CountDownLatch unblock = new CountDownLatch(1);
  private HttpSettings settings =
      RecordBuilder.from(HttpSettings.DEFAULTS)
          .with(HttpSettings::port, 0)
          .with(HttpSettings::maxBodyBytes, 1_000)
          .build();
  private @Nullable HttpServer server;

  private void start(Function<ApiCall, CompletableFuture<HttpReply>> handler) throws IOException {
    server =
        HttpServer.start(
            settings,
            new Pages(
                format -> "a_metric 1.0\n",
                List::of,
                () -> CompletableFuture.completedFuture("up\n")),
            new TestApi(handler),
            limits::add);
  }

  @AfterEach
  void stop() {
    unblock.countDown();
    if (server != null) {
      server.close();
    }
  }

  @Test
  void shouldCompressOnlyResponsesThatAllowIt() throws Exception {
    start(
        call ->
            CompletableFuture.completedFuture(
                call.path().endsWith("public")
                    ? TestApi.reply(200, "text").withGzip()
                    : TestApi.reply(200, "text")));
    for (boolean isPublic : new boolean[] {true, false}) {
      HttpRequest.Builder request = request("/api/v5/" + (isPublic ? "public" : "clients"));
      assertThat(send(request).body()).isEqualTo("text");
      HttpResponse<byte[]> answer =
          client.send(
              request.header("Accept-Encoding", "gzip").build(),
              HttpResponse.BodyHandlers.ofByteArray());
      assertThat(answer.headers().firstValue("content-encoding").isPresent()).isEqualTo(isPublic);
      assertThat(answer.headers().firstValue("vary").isPresent()).isEqualTo(isPublic);
      InputStream body = new ByteArrayInputStream(answer.body());
      assertThat(isPublic ? new GZIPInputStream(body) : body)
          .hasBinaryContent("text".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static CompletableFuture<HttpReply> echo(ApiCall call) {
    return call.body()
        .read()
        .thenApply(body -> TestApi.reply(200, new String(body, StandardCharsets.UTF_8)));
  }

  private HttpResponse<String> send(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path));
  }

  private int port() {
    return server == null ? -1 : server.port();
  }

  @Test
  void shouldPassTheRequestAsItWasSent() throws Exception {
    start(call -> CompletableFuture.completedFuture(TestApi.reply(200, call.toString())));
    String seen =
        send(request("/api/a%2Fb/..;c/%20?x=%20y&z")
                .header("Authorization", "secret")
                .header("Content-Type", "application/json")
                .header("Origin", "http://a")
                .method("PATCH", HttpRequest.BodyPublishers.noBody()))
            .body();
    assertThat(seen)
        .contains(
            "method=PATCH",
            "path=/api/a%2Fb/..;c/%20,",
            "query=x=%20y&z",
            "authorization=Optional[secret]",
            "contentType=Optional[application/json]",
            "origin=Optional[http://a]",
            "host=127.0.0.1:" + port(),
            "remoteAddress=127.0.0.1");
  }

  @Test
  void shouldReadBodiesUpToTheLimit() throws Exception {
    start(HttpApiTest::echo);
    String body = "x".repeat(1_000);
    assertThat(send(request("/api/a").PUT(HttpRequest.BodyPublishers.ofString(body))).body())
        .isEqualTo(body);
    HttpResponse<String> refused =
        send(request("/api/a").PUT(HttpRequest.BodyPublishers.ofString(body + "x")));
    assertThat(refused.statusCode()).isEqualTo(413);
    assertThat(refused.body())
        .isEqualTo(
            "{\"code\":\"PAYLOAD_TOO_LARGE\","
                + "\"message\":\"the body is larger than httpConfig.maxBodyBytes\"}");
  }

  @Test
  void shouldRefuseBodiesOfUnknownLengthAtTheLimit() throws Exception {
    start(
        call ->
            echo(call)
                .exceptionally(
                    failure ->
                        TestApi.reply(
                            418,
                            String.valueOf(
                                failure.getCause() instanceof ApiCall.BodyException unreadable
                                    && unreadable.kind()
                                        == ApiCall.BodyException.Kind.TOO_LARGE))));
    HttpRequest.BodyPublisher chunked =
        HttpRequest.BodyPublishers.fromPublisher(
            HttpRequest.BodyPublishers.ofByteArray(new byte[5_000]));
    HttpResponse<String> refused = send(request("/api/a").POST(chunked));
    assertThat(refused.statusCode()).isEqualTo(418);
    assertThat(refused.body()).isEqualTo("true");
  }

  @Test
  void shouldHandleCallsOnTheirOwnThreads() throws Exception {
    start(
        call ->
            CompletableFuture.completedFuture(
                TestApi.reply(200, Thread.currentThread().getName())));
    assertThat(send(request("/api/a")).body()).startsWith("http-api-");
  }

  @Test
  void shouldAnswerProbesAndRefuseMoreCallsWhileTheApiIsBusy() throws Exception {
    settings =
        RecordBuilder.from(settings)
            .with(HttpSettings::apiThreads, 1)
            .with(HttpSettings::maxPendingApiRequests, 2)
            .build();
    CountDownLatch begun = new CountDownLatch(1);
    start(
        call -> {
          begun.countDown();
          awaitUnblocked();
          return CompletableFuture.completedFuture(TestApi.reply(200, "done"));
        });
    CompletableFuture<HttpResponse<String>> first = sendAsync("/api/a");
    begun.await();
    CompletableFuture<HttpResponse<String>> second = sendAsync("/api/a");
    CompletableFuture<HttpResponse<String>> third = sendAsync("/api/a");
    CompletableFuture.anyOf(second, third).get();
    HttpResponse<String> refused = (second.isDone() ? second : third).get();
    assertThat(refused.statusCode()).isEqualTo(503);
    assertThat(refused.headers().firstValue("retry-after")).isPresent();
    assertThat(limits).contains(HttpLimit.PENDING_API_REQUESTS);
    assertThat(send(request("/livez")).statusCode()).isEqualTo(200);
    assertThat(send(request("/readyz")).statusCode()).isEqualTo(200);
    assertThat(send(request("/metrics")).statusCode()).isEqualTo(200);
    unblock.countDown();
    assertThat(first.get().body()).isEqualTo("done");
    assertThat(List.of(second.get().statusCode(), third.get().statusCode()))
        .containsExactlyInAnyOrder(200, 503);
  }

  @Test
  void shouldTimeOutEvenIfTheThreadsOfTheApiAreBlocked() throws Exception {
    settings =
        RecordBuilder.from(settings)
            .with(HttpSettings::apiThreads, 1)
            .with(HttpSettings::requestTimeout, Duration.ofSeconds(1))
            .build();
    start(
        call -> {
          awaitUnblocked();
          return new CompletableFuture<>();
        });
    HttpResponse<String> late = send(request("/api/a"));
    assertThat(late.statusCode()).isEqualTo(504);
    assertThat(late.body()).startsWith("{\"code\":\"TIMEOUT\"");
    assertThat(limits).contains(HttpLimit.REQUEST_TIMEOUT);
  }

  private CompletableFuture<HttpResponse<String>> sendAsync(String path) {
    return client.sendAsync(request(path).build(), HttpResponse.BodyHandlers.ofString());
  }

  private void awaitUnblocked() {
    try {
      unblock.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A condition that may fail with any exception. */
  private interface Condition {
    boolean holds() throws Exception;
  }

  private static void await(Condition condition) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.holds()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
    }
  }

  @Test
  void shouldHideFailuresFromClients() throws Exception {
    start(call -> CompletableFuture.failedFuture(new IllegalStateException("planted")));
    HttpResponse<String> failed = send(request("/api/a"));
    assertThat(failed.statusCode()).isEqualTo(500);
    assertThat(failed.body()).contains("INTERNAL_ERROR").doesNotContain("planted", "Exception");
  }

  @Test
  void shouldLetLoopbackClientsReadMetricsByDefault() throws Exception {
    start(HttpApiTest::echo);
    assertThat(send(request("/metrics")).body()).isEqualTo("a_metric 1.0\n");
    assertThat(send(request("/status")).body()).isEqualTo("up\n");
  }

  @Test
  void shouldAskForCredentialsIfNobodyMayReadMetricsWithoutThem() throws Exception {
    settings =
        RecordBuilder.from(settings)
            .with(HttpSettings::anonymousMetrics, AnonymousMetrics.NONE)
            .build();
    start(HttpApiTest::echo);
    for (String path : List.of("/metrics", "/status")) {
      assertThat(send(request(path)).statusCode()).isEqualTo(401);
      assertThat(send(request(path).header("Authorization", "secret")).statusCode()).isEqualTo(200);
    }
    assertThat(send(request("/livez")).statusCode()).isEqualTo(200);
    assertThat(send(request("/readyz")).statusCode()).isEqualTo(200);
  }

  @Test
  void shouldUseChangedCertificates(@TempDir Path folder) throws Exception {
    Certs certs = new Certs(folder);
    X509Bundle before = certs.server();
    settings =
        RecordBuilder.from(settings)
            .with(HttpSettings::certFile, certs.certificate("http", before).toString())
            .with(HttpSettings::keyFile, certs.key("http", before).toString())
            .with(HttpSettings::reloadInterval, Duration.ofMillis(100))
            .build();
    start(HttpApiTest::echo);
    assertThat(serial(certs)).isEqualTo(before.getCertificate().getSerialNumber());

    assertThat(certificate().expiresAt())
        .isEqualTo(before.getCertificate().getNotAfter().toInstant());
    certs.write("http.crt", "not a certificate");
    await(() -> certificate().rejection() != null);
    assertThat(serial(certs)).isEqualTo(before.getCertificate().getSerialNumber());

    X509Bundle after = certs.server();
    certs.certificate("http", after);
    certs.key("http", after);
    await(() -> serial(certs).equals(after.getCertificate().getSerialNumber()));
    assertThat(certificate().rejection()).isNull();
  }

  private CertificateStatus certificate() {
    return Objects.requireNonNull(server).certificate().orElseThrow();
  }

  private BigInteger serial(Certs certs) throws IOException {
    try (SSLSocket socket =
        (SSLSocket) certs.trusting(null).getSocketFactory().createSocket("127.0.0.1", port())) {
      SSLSession session = socket.getSession();
      return ((X509Certificate) session.getPeerCertificates()[0]).getSerialNumber();
    }
  }

  @Test
  void shouldNameTheFileOfAnUnusableCertificate(@TempDir Path folder) throws Exception {
    Certs certs = new Certs(folder);
    settings =
        RecordBuilder.from(settings)
            .with(HttpSettings::certFile, certs.write("a.crt", "nothing").toString())
            .with(HttpSettings::keyFile, certs.key("a", certs.server()).toString())
            .build();
    assertThatThrownBy(() -> start(HttpApiTest::echo))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("httpConfig.certFile: ")
        .hasMessageContaining("a.crt: contains no PEM certificate");
  }

  @Test
  void shouldSendHeadersOfTheReply() throws Exception {
    start(
        call ->
            CompletableFuture.completedFuture(
                new HttpReply(302, "", Map.of("Location", "/x"), new byte[0])));
    HttpResponse<String> moved = send(request("/api/a"));
    assertThat(moved.headers().firstValue("location")).contains("/x");
    assertThat(moved.headers().firstValue("content-type")).isEmpty();
  }
}
