package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fjordmq.broker.web.WebPage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
  private static final String HOST = "127.0.0.1";
  private static final String METRICS = "a_metric 1.0\n";

  private final HttpClient client = HttpClient.newHttpClient();
  private final CompletableFuture<String> cluster = new CompletableFuture<>();
  private volatile List<String> notReadyReasons = List.of();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.start(
            TestHttpSettings.defaults(),
            new Pages(HttpServerTest::metrics, () -> notReadyReasons, () -> cluster),
            TestApi.NONE,
            HttpObserver.NONE);
  }

  private static String metrics(MetricsFormat format) {
    return METRICS + (format == MetricsFormat.OPENMETRICS ? "# EOF\n" : "");
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldServeMetricsInThePrometheusFormat() throws Exception {
    HttpResponse<String> answer = get("/metrics?names=all");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo(METRICS);
    assertThat(answer.headers().firstValue("content-type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "application/openmetrics-text | true",
        "application/openmetrics-text; version=1.0.0; charset=utf-8 | true",
        // as Prometheus sends it
        "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,"
            + "application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;q=0.4,"
            + "text/plain;version=0.0.4;q=0.3,*/*;q=0.2 | true",
        "application/openmetrics-text;q=0.1,text/plain;q=0.9 | false",
        "application/openmetrics-text;q=0 | false",
        "application/vnd.google.protobuf,application/openmetrics-text;q=0.5 | true",
        "text/plain | false",
        "*/* | false",
        "application/json | false",
        "text/plain;q=much,;;,\"application/openmetrics-text | false",
        "'' | false"
      })
  void shouldServeTheFormatThatTheClientPrefers(String accept, boolean openMetrics)
      throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri("/metrics"));
    if (!accept.isEmpty()) {
      request.header("Accept", accept);
    }
    HttpResponse<String> answer =
        client.send(request.build(), HttpResponse.BodyHandlers.ofString());
    assertThat(answer.headers().firstValue("content-type"))
        .contains(
            openMetrics
                ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                : "text/plain; version=0.0.4; charset=utf-8");
    assertThat(answer.headers().firstValue("vary")).contains("Accept, Accept-Encoding");
    assertThat(answer.body()).isEqualTo(METRICS + (openMetrics ? "# EOF\n" : ""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "gzip | true",
        "deflate, GZIP;q=0.5 | true",
        "gzip;q=0 | false",
        "identity | false",
        "* | false",
        "gzip;q=much | false",
        ";,\"gzip | false"
      })
  void shouldCompressMetricsForClientsThatAcceptIt(String encodings, boolean compressed)
      throws Exception {
    HttpResponse<byte[]> answer =
        client.send(
            HttpRequest.newBuilder(uri("/metrics")).header("Accept-Encoding", encodings).build(),
            HttpResponse.BodyHandlers.ofByteArray());
    assertThat(answer.headers().firstValue("content-encoding").isPresent()).isEqualTo(compressed);
    assertThat(answer.headers().firstValueAsLong("content-length")).hasValue(answer.body().length);
    InputStream body = new ByteArrayInputStream(answer.body());
    assertThat(compressed ? new GZIPInputStream(body) : body).hasBinaryContent(bytes(METRICS));
  }

  @Test
  void shouldNotCompressOtherPages() throws Exception {
    cluster.complete("node 3f9c  up\n");
    for (String path : List.of("/status", "/livez", "/readyz")) {
      HttpResponse<String> answer =
          client.send(
              HttpRequest.newBuilder(uri(path)).header("Accept-Encoding", "gzip").build(),
              HttpResponse.BodyHandlers.ofString());
      assertThat(answer.headers().firstValue("content-encoding")).as(path).isEmpty();
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void shouldReportWhyTheNodeIsNotReady() throws Exception {
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    notReadyReasons = List.of("range inbox-1 has no leader", "the storage has failed: disk full");
    HttpResponse<String> answer = get("/readyz");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body().lines()).isEqualTo(notReadyReasons);
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldServeOtherRequestsWhileTheClusterStatusIsPending() throws Exception {
    CompletableFuture<HttpResponse<String>> pending =
        client.sendAsync(
            HttpRequest.newBuilder(uri("/status")).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(get("/livez").statusCode()).isEqualTo(200);
    assertThat(pending).isNotDone();
    cluster.complete("node 3f9c  up\n");
    assertThat(pending.get().body()).isEqualTo("node 3f9c  up\n");
    assertThat(get("/status").body()).isEqualTo("node 3f9c  up\n");
  }

  @Test
  void shouldAnswerPipelinedRequestsInOrder() throws Exception {
    try (RawHttp pipelining = new RawHttp(server.port())) {
      for (String path : List.of("/status", "/livez", "/status")) {
        pipelining.request("GET " + path + " HTTP/1.1", "Host: a");
      }
      pipelining.request("GET /readyz HTTP/1.1", "Host: a", "Connection: close");
      pipelining.request("GET /metrics HTTP/1.1", "Host: a");
      assertThat(get("/livez").statusCode()).as("the requests have arrived").isEqualTo(200);
      cluster.complete("node 3f9c  up\n");
      assertThat(pipelining.readResponse())
          .filteredOn(line -> line.matches("node.*|alive|ready|a_metric.*"))
          .containsExactly("node 3f9c  up", "alive", "node 3f9c  up", "ready");
    }
  }

  @Test
  void shouldAnswerWithAnErrorWhenTheClusterStatusFails() throws Exception {
    cluster.completeExceptionally(new IllegalStateException("no such range"));
    HttpResponse<String> answer = get("/status");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("no such range");
  }

  @Test
  void shouldServeTheWebPage() throws Exception {
    try (HttpServer withPage =
        HttpServer.start(
            TestHttpSettings.defaults(),
            new Pages(HttpServerTest::metrics, List::of, () -> cluster, new WebPage()),
            TestApi.NONE,
            HttpObserver.NONE)) {
      URI page = URI.create("http://" + HOST + ":" + withPage.port() + "/");
      HttpResponse<String> full = send(HttpRequest.newBuilder(page));
      assertThat(full.statusCode()).isEqualTo(200);
      assertThat(full.body()).contains("<!doctype html>");
      assertThat(full.headers().firstValue("content-security-policy")).isPresent();
      String tag = full.headers().firstValue("etag").orElseThrow();
      HttpResponse<String> known =
          send(HttpRequest.newBuilder(page).header("If-None-Match", "\"other\", " + tag));
      assertThat(known.statusCode()).isEqualTo(304);
      assertThat(known.body()).isEmpty();
      assertThat(known.headers().firstValue("etag")).contains(tag);
      HttpResponse<String> compressed =
          send(HttpRequest.newBuilder(page).header("Accept-Encoding", "gzip"));
      assertThat(compressed.headers().firstValue("content-encoding")).contains("gzip");
      assertThat(send(HttpRequest.newBuilder(page.resolve("/ui/x/main.js"))).statusCode())
          .isEqualTo(404);
      assertThat(
              send(HttpRequest.newBuilder(page).POST(HttpRequest.BodyPublishers.noBody()))
                  .statusCode())
          .isEqualTo(405);
    }
  }

  private HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
    return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void shouldRejectUnknownPathsAndMethods() throws Exception {
    assertThat(get("/").statusCode()).isEqualTo(404);
    assertThat(get("/metrics/a").statusCode()).isEqualTo(404);
    HttpRequest post =
        HttpRequest.newBuilder(uri("/metrics"))
            .POST(HttpRequest.BodyPublishers.ofString("x"))
            .build();
    HttpResponse<String> refused = client.send(post, HttpResponse.BodyHandlers.ofString());
    assertThat(refused.statusCode()).isEqualTo(405);
    assertThat(refused.headers().firstValue("allow")).contains("GET, HEAD");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/metrics", "/livez", "/readyz", "/status"})
  void shouldAnswerHeadWithoutABody(String path) throws Exception {
    cluster.complete("node 3f9c  up\n");
    HttpResponse<String> full = get(path);
    try (RawHttp head = new RawHttp(server.port())) {
      List<String> lines =
          head.request("HEAD " + path + " HTTP/1.1", "Host: a", "Connection: close").readResponse();
      assertThat(lines.get(0)).isEqualTo("HTTP/1.1 200 OK");
      assertThat(lines).contains("Content-Length: " + full.body().length()).last().isEqualTo("");
    }
  }

  @Test
  void shouldNameTheConfigurationKeysWhenThePortIsInUse() {
    assertThatThrownBy(
            () ->
                HttpServer.start(
                    TestHttpSettings.port(server.port()),
                    new Pages(format -> "", List::of, () -> cluster),
                    TestApi.NONE,
                    HttpObserver.NONE))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot listen on 127.0.0.1:" + server.port())
        .hasMessageContaining("change httpConfig.host or httpConfig.port");
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return client.send(
        HttpRequest.newBuilder(uri(path)).build(), HttpResponse.BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create("http://" + HOST + ":" + server.port() + path);
  }
}
