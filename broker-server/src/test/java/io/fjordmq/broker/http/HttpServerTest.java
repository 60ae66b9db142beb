package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpServerTest {
  private static final String HOST = "127.0.0.1";

  private final HttpClient client = HttpClient.newHttpClient();
  private final CompletableFuture<String> cluster = new CompletableFuture<>();
  private volatile List<String> notReadyReasons = List.of();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.start(
            TestHttpSettings.defaults(),
            new Pages(() -> "a_metric 1.0\n", () -> notReadyReasons, () -> cluster),
            TestApi.NONE,
            HttpObserver.NONE);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldServeMetricsInThePrometheusFormat() throws Exception {
    HttpResponse<String> answer = get("/metrics?names=all");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("a_metric 1.0\n");
    assertThat(answer.headers().firstValue("content-type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
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
                    new Pages(() -> "", List::of, () -> cluster),
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
