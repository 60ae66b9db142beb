package io.fjordmq.broker.ops;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpServerTest {
  private static final String HOST = "127.0.0.1";
  private static final int MAX_CONNECTIONS = 3;

  private final HttpClient client = HttpClient.newHttpClient();
  private final CompletableFuture<String> cluster = new CompletableFuture<>();
  private volatile List<String> faults = List.of();
  private HttpServer.Listening server;

  @BeforeEach
  void start() throws IOException {
    server =
        HttpServer.start(
            HOST,
            0,
            MAX_CONNECTIONS,
            new HttpServer.Pages(() -> "a_metric 1.0\n", () -> faults, () -> cluster));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  @Test
  void shouldServeMetricsAsPrometheusReadsThem() throws Exception {
    HttpResponse<String> answer = get("/metrics?names=all");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).isEqualTo("a_metric 1.0\n");
    assertThat(answer.headers().firstValue("content-type").orElseThrow())
        .startsWith("text/plain; version=0.0.4");
  }

  @Test
  void shouldSayWhyItIsNotReady() throws Exception {
    assertThat(get("/readyz").statusCode()).isEqualTo(200);
    faults = List.of("range inbox-1 has no leader", "the storage has failed: disk full");
    HttpResponse<String> answer = get("/readyz");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body().lines()).isEqualTo(faults);
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldShowTheClusterOnceItIsKnownAndServeOthersMeanwhile() throws Exception {
    CompletableFuture<HttpResponse<String>> asked =
        client.sendAsync(
            HttpRequest.newBuilder(uri("/status")).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(get("/livez").statusCode()).isEqualTo(200);
    assertThat(asked).isNotDone();
    cluster.complete("node 3f9c  up\n");
    assertThat(asked.get().body()).isEqualTo("node 3f9c  up\n");
    assertThat(get("/status").body()).isEqualTo("node 3f9c  up\n");
  }

  @Test
  void shouldAnswerInTheOrderOfTheRequests() throws Exception {
    try (Socket socket = new Socket(InetAddress.getByName(HOST), server.port())) {
      String requests =
          """
          GET /status HTTP/1.1\r
          \r
          GET /livez HTTP/1.1\r
          \r
          GET /status HTTP/1.1\r
          \r
          GET /readyz HTTP/1.1\r
          Connection: close\r
          \r
          GET /metrics HTTP/1.1\r
          \r
          """;
      socket.getOutputStream().write(requests.getBytes(US_ASCII));
      assertThat(get("/livez").statusCode()).as("the requests are there").isEqualTo(200);
      cluster.complete("node 3f9c  up\n");
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII).lines())
          .filteredOn(line -> line.matches("node.*|alive|ready|a_metric.*"))
          .containsExactly("node 3f9c  up", "alive", "node 3f9c  up", "ready");
    }
  }

  @Test
  void shouldSayThatTheClusterCouldNotBeShown() throws Exception {
    cluster.completeExceptionally(new IllegalStateException("no such range"));
    HttpResponse<String> answer = get("/status");
    assertThat(answer.statusCode()).isEqualTo(500);
    assertThat(answer.body()).contains("no such range");
  }

  @Test
  void shouldRefuseOtherPathsAndMethods() throws Exception {
    assertThat(get("/").statusCode()).isEqualTo(404);
    HttpRequest post =
        HttpRequest.newBuilder(uri("/metrics"))
            .POST(HttpRequest.BodyPublishers.ofString("x"))
            .build();
    assertThat(client.send(post, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(405);
  }

  @Test
  void shouldCloseTheConnectionThatSendsGarbageAndServeOthers() throws Exception {
    try (Socket socket = new Socket(InetAddress.getByName(HOST), server.port())) {
      socket.getOutputStream().write("\0\1\2\r\n\r\n".getBytes(US_ASCII));
      assertThat(new String(socket.getInputStream().readAllBytes(), US_ASCII))
          .startsWith("HTTP/1.1 400");
    }
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldCloseConnectionsBeyondTheLimitUntilOthersEnd() throws Exception {
    List<Socket> idle = new ArrayList<>();
    for (int i = 0; i < MAX_CONNECTIONS; i++) {
      Socket socket = new Socket(InetAddress.getByName(HOST), server.port());
      socket.getOutputStream().write("GET /livez HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
      assertThat(socket.getInputStream().read()).isEqualTo('H');
      idle.add(socket);
    }
    try (Socket tooMany = new Socket(InetAddress.getByName(HOST), server.port())) {
      assertThat(tooMany.getInputStream().read()).isEqualTo(-1);
    }
    for (Socket socket : idle) {
      socket.shutdownOutput();
      socket.getInputStream().readAllBytes(); // the server has closed its side
      socket.close();
    }
    assertThat(get("/livez").statusCode()).isEqualTo(200);
  }

  @Test
  void shouldNameTheKeysWhenThePortIsInUse() {
    assertThatThrownBy(
            () ->
                HttpServer.start(
                    HOST,
                    server.port(),
                    MAX_CONNECTIONS,
                    new HttpServer.Pages(() -> "", List::of, () -> cluster)))
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
