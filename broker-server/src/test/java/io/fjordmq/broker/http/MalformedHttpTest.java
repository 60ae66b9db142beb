package io.fjordmq.broker.http;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Malformed requests: the client receives a status code, and nothing is logged. */
class MalformedHttpTest {
  private static final String SILENCED = "org.eclipse.jetty.http.HttpParser";

  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    log.start();
    root.addAppender(log);
    server =
        HttpServer.start(
            TestHttpSettings.defaults(),
            new Pages(
                format -> "a 1\n", List::of, () -> CompletableFuture.completedFuture("cluster\n")),
            TestApi.NONE,
            HttpObserver.NONE);
  }

  @AfterEach
  void stop() {
    server.close();
    root.detachAppender(log);
    assertThat(log.list)
        .filteredOn(event -> event.getLevel().isGreaterOrEqual(Level.WARN))
        .filteredOn(event -> isServerLogger(event.getLoggerName())) // not from earlier tests
        .filteredOn(event -> !event.getLoggerName().equals(SILENCED)) // in conf/logback.xml
        .isEmpty();
  }

  private static boolean isServerLogger(String logger) {
    return logger.startsWith(HttpServer.class.getPackageName())
        || logger.startsWith("org.eclipse.jetty");
  }

  @ParameterizedTest
  @CsvSource({
    "GET /%zz HTTP/1.1, 400",
    "GET /%z HTTP/1.1, 400",
    "GET /% HTTP/1.1, 400",
    "GET /livez%00 HTTP/1.1, 400",
    "GET /a/%2e%2e/livez HTTP/1.1, 400",
    "GET /livez HTTP/3.7, 505",
    "GET /livez HTTQ/1.1, 505",
    "GET, 400",
    "G@T /livez HTTP/1.1, 400",
    "GET http://127.0.0.1/livez HTTP/1.1, 200",
    "GET http://127.0.0.1/nothing HTTP/1.1, 404",
    "GET livez HTTP/1.1, 400",
    "GET * HTTP/1.1, 400",
    "OPTIONS * HTTP/1.1, 404",
    "GET /livez?%zz HTTP/1.1, 200",
    "TRACE /livez HTTP/1.1, 405",
    "PUT /livez HTTP/1.1, 405",
    "DELETE /nothing HTTP/1.1, 404"
  })
  void shouldAnswerMalformedRequestsWithTheRightStatus(String line, int status) {
    try (RawHttp client = new RawHttp(server.port())) {
      List<String> answer =
          client.request(line, "Host: 127.0.0.1", "Connection: close").readResponse();
      assertThat(answer.get(0)).matches("HTTP/1\\.1 " + status + " .*");
      assertThat(answer).noneMatch(text -> text.contains("\tat ") || text.contains("<"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"/api/v5/%zz", "/api/v5/clients/%", "/api/v5/%c3%28/%zz"})
  void shouldAnswerUnreadableUrlsInJson(String url) {
    try (RawHttp client = new RawHttp(server.port())) {
      List<String> answer =
          client
              .request("GET " + url + " HTTP/1.1", "Host: 127.0.0.1", "Connection: close")
              .readResponse();
      assertThat(answer.get(0)).startsWith("HTTP/1.1 400");
      assertThat(answer).anyMatch(line -> line.equalsIgnoreCase("Content-Type: application/json"));
      assertThat(answer.get(answer.size() - 1))
          .startsWith("{\"code\":\"BAD_REQUEST\",\"message\":\"the request is malformed; check");
    }
  }

  @Test
  void shouldRequireAHostHeaderInHttp11Only() {
    assertThat(statusOf("GET /livez HTTP/1.1", "Connection: close")).contains(" 400 ");
    assertThat(statusOf("GET /livez HTTP/1.0")).contains(" 200 ");
    assertThat(statusOf("GET /livez HTTP/1.1", "Host: a", "Host: b")).contains(" 400 ");
    assertThat(statusOf("GET http://a/livez HTTP/1.1", "Host: b", "Connection: close"))
        .contains(" 400 ");
  }

  @Test
  void shouldRejectHugeHeadersAndBodies() {
    String huge = "x".repeat(9 << 10);
    assertThat(statusOf("GET /livez HTTP/1.1", "Host: a", "X: " + huge)).contains(" 431 ");
    assertThat(statusOf("GET /" + huge + " HTTP/1.1", "Host: a")).contains(" 414 ");
    assertThat(
            statusOf("POST /livez HTTP/1.1", "Host: a", "Content-Length: 1000000000000000000000"))
        .contains(" 400 ");
    assertThat(
            statusOf(
                "POST /livez HTTP/1.1", "Host: a", "Connection: close", "Content-Length: 1100000"))
        .contains(" 413 ");
    assertThat(
            statusOf(
                "GET /livez HTTP/1.1",
                "Host: a",
                "Content-Length: 5",
                "Transfer-Encoding: chunked"))
        .contains(" 400 ");
  }

  @Test
  void shouldRejectRequestsThatAreNotHttp() {
    try (RawHttp client = new RawHttp(server.port())) {
      assertThat(client.send("\0\1\2\r\n\r\n").readResponse().get(0)).startsWith("HTTP/1.1 400");
    }
    try (RawHttp tls = new RawHttp(server.port())) {
      assertThat(tls.send("\u0016\3\1\2\0\1\0\1\r\n\r\n").readResponse().get(0))
          .startsWith("HTTP/1.1 400");
    }
    assertThat(statusOf("GET /livez HTTP/1.1", "Host: a", "Connection: close")).contains(" 200 ");
  }

  private String statusOf(String... lines) {
    try (RawHttp client = new RawHttp(server.port())) {
      return client.request(lines).readResponse().get(0);
    }
  }
}
