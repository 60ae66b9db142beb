package io.fjordmq.auth.http;

import static io.fjordmq.auth.Chain.provider;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fjordmq.api.Qos;
import io.fjordmq.api.Topic;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.api.plugin.Action;
import io.fjordmq.api.plugin.Permissions;
import io.fjordmq.auth.Chain;
import io.fjordmq.broker.security.AccessDecision;
import io.fjordmq.broker.security.ClientAccess;
import io.fjordmq.broker.security.ConnectAdmission;
import io.fjordmq.broker.security.ConnectAdmission.Admitted;
import io.fjordmq.broker.security.ConnectAdmission.Refused;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contracts of EMQX 5 and 4 with a real HTTP server. */
class HttpProviderTest {
  /** A response. */
  private record Reply(int status, String body, Map<String, String> headers) {
    static Reply json(String body) {
      return new Reply(200, body, Map.of());
    }

    static Reply status(int status) {
      return new Reply(status, "", Map.of());
    }
  }

  private final Queue<String> requests = new ConcurrentLinkedQueue<>();
  private final Queue<String> headers = new ConcurrentLinkedQueue<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private volatile Function<String, Reply> handler = request -> Reply.status(204);
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress("127.0.0.1", 0), 1_024);
    launch(server);
  }

  private void launch(HttpServer created) {
    created.createContext("/", this::handle);
    created.setExecutor(threads);
    created.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    threads.shutdownNow();
  }

  private void handle(HttpExchange exchange) throws IOException {
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    String request =
        exchange.getRequestMethod() + " " + exchange.getRequestURI().toASCIIString() + " " + body;
    requests.add(request);
    headers.add(String.valueOf(exchange.getRequestHeaders().entrySet()));
    Reply reply = handler.apply(request);
    reply.headers.forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    byte[] bytes = reply.body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(reply.status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  private Map<String, String> http(String path, String... more) {
    Map<String, String> values =
        provider(
            "type",
            "http",
            "url",
            "http://127.0.0.1:" + server.getAddress().getPort() + path,
            "timeout",
            "5 s");
    values.putAll(provider(more));
    return values;
  }

  private Chain logins(String... more) {
    return Chain.open(List.of(http("/auth", more)), List.of());
  }

  @Test
  void shouldFollowTheContractOfEmqx5() throws Exception {
    try (Chain chain = logins()) {
      handler = request -> Reply.json("{\"result\":\"allow\"}");
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(requests.remove())
          .startsWith("POST /auth {")
          .contains("\"clientid\":\"c\"", "\"username\":\"u\"", "\"password\":\"p\"");
      handler = request -> Reply.json("{\"result\":\"deny\"}");
      assertThat(chain.result("c", "u", "p")).startsWith("BAD_USER_NAME_OR_PASSWORD: HTTP status");
      handler = request -> Reply.json("{\"result\":\"ignore\"}");
      assertThat(chain.result("c", "u", "p")).contains("unknown user");
      handler = request -> Reply.status(204);
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      for (int status : new int[] {401, 403, 404}) {
        handler = request -> Reply.status(status);
        assertThat(chain.result("c", "u", "p")).as("" + status).contains("unknown user");
      }
      handler = request -> Reply.status(503);
      assertThat(chain.result("c", "u", "p"))
          .as("ignored, but not like wrong credentials")
          .isEqualTo("SERVER_UNAVAILABLE: HTTP status 503");
    }
  }

  @Test
  void shouldReplaceTheClientIdentifier() throws Exception {
    handler =
        request ->
            Reply.json(
                "{\"result\":\"allow\",\"clientid_override\":\"device-7\",\"acl\":[{\"permission\":"
                    + "\"allow\",\"action\":\"all\",\"topic\":\"${clientid}/#\"}]}");
    try (Chain chain = logins()) {
      Admitted admitted = (Admitted) chain.connect("c", "u", "p");
      assertThat(admitted.client().clientId()).isEqualTo("device-7");
      Permissions permissions = Objects.requireNonNull(admitted.identity().permissions());
      assertThat(permissions.rules().get(0).filter()).hasToString("device-7/#");
    }
  }

  @Test
  void shouldTakeOverTheIdentityOfTheResponse() throws Exception {
    long end = Instant.now().getEpochSecond() + 100;
    handler =
        request ->
            Reply.json(
                "{\"result\":\"allow\",\"is_superuser\":false,\"client_attrs\":{\"site\":\"oslo\"},"
                    + "\"expire_at\":"
                    + end
                    + ",\"acl\":[{\"permission\":\"deny\",\"action\":\"all\",\"topic\":\"x/1\"},"
                    + "{\"permission\":\"allow\",\"action\":\"publish\",\"topic\":\"x/+\",\"qos\":[0,1]},"
                    + "{\"permission\":\"allow\",\"action\":\"subscribe\","
                    + "\"topic\":\"${client_attrs.site}/#\"}]}");
    try (Chain chain = logins("tenant", "${client_attrs.site}")) {
      Admitted admitted = (Admitted) chain.connect("c", "u", "p");
      assertThat(admitted.client().tenant()).isEqualTo("oslo");
      assertThat(admitted.client().attributes()).containsEntry("site", "oslo");
      assertThat(admitted.identity().expiresAt()).isEqualTo(Instant.ofEpochSecond(end));
      ClientAccess access = chain.security().accessOf(admitted);
      assertThat(mayPublish(access, "x/1", Qos.AT_MOST_ONCE)).isFalse();
      assertThat(mayPublish(access, "x/2", Qos.AT_LEAST_ONCE)).isTrue();
      assertThat(mayPublish(access, "x/2", Qos.EXACTLY_ONCE)).isFalse();
      assertThat(access.mayReceive(new Topic("oslo/a"))).isTrue();
      assertThat(access.mayReceive(new Topic("bergen/a"))).isFalse();
    }
  }

  private static boolean mayPublish(ClientAccess access, String topic, Qos qos) {
    return Objects.requireNonNull(access.mayPublish(new Topic(topic), qos, false, 0)).allowed();
  }

  @Test
  void shouldRefuseResponsesThatAreNotUnderstood() throws Exception {
    try (Chain chain = logins("breakerFailures", "0", "maxResponseBytes", "1000")) {
      for (String body :
          List.of(
              "",
              "allow",
              "[]",
              "null",
              "{}",
              "{\"result\":\"yes\"}",
              "{\"result\":true}",
              "{\"result\":\"allow\",\"acl\":7}",
              "{\"result\":\"allow\",\"acl\":[{\"topic\":\"a\",\"permission\":\"maybe\"}]}",
              "{\"result\":\"allow\",\"expire_at\":\"tomorrow\"}",
              "{\"result\":\"allow\",\"clientid_override\":\"\"}",
              "{\"result\":\"allow\",\"clientid_override\":7}",
              "{\"result\":\"allow\",\"x\":\"" + "y".repeat(2_000) + "\"}")) {
        handler = request -> Reply.json(body);
        assertThat(chain.result("c", "u", "p")).as(body).startsWith("SERVER_UNAVAILABLE: failed");
      }
      handler = request -> new Reply(302, "", Map.of("Location", "http://127.0.0.1:1/"));
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      handler = request -> Reply.json("{\"result\":\"allow\",\"expire_at\":1}");
      assertThat(chain.result("c", "u", "p")).contains("the credentials expired");
    }
  }

  @Test
  void shouldNotRefuseOthersAfterAnInvalidResponseForOneClient() throws Exception {
    try (Chain chain =
        logins("breakerFailures", "1", "breakerTime", "1 h", "maxResponseBytes", "1000")) {
      for (String body :
          List.of(
              "not json",
              "{\"result\":\"yes\"}",
              "{\"result\":\"allow\",\"acl\":7}",
              "{\"result\":\"allow\",\"x\":\"" + "y".repeat(2_000) + "\"}")) {
        handler = request -> request.contains("\"odd\"") ? Reply.json(body) : Reply.status(204);
        assertThat(chain.result("c", "odd", "p")).as(body).startsWith("SERVER_UNAVAILABLE: failed");
        assertThat(chain.result("c", "u", "p")).as(body).isEqualTo("allow");
      }
      handler = request -> new Reply(302, "", Map.of("Location", "http://127.0.0.1:1/"));
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE: failed");
      handler = request -> Reply.status(204);
      assertThat(chain.result("c", "u", "p"))
          .as("an unexpected status means that the service does not work")
          .startsWith("SERVER_UNAVAILABLE");
    }
  }

  @Test
  void shouldNotReadAHugeResponse() throws Exception {
    String huge = "x".repeat(32 << 20);
    handler = request -> Reply.json(huge);
    try (Chain chain = logins()) {
      assertThat(chain.result("c", "u", "p")).contains("more than 65536 bytes");
    }
  }

  @Test
  void shouldFollowTheContractOfEmqx4() throws Exception {
    try (Chain chain =
        Chain.open(
            List.of(http("/mqtt/auth", "mode", "emqx4")),
            List.of(http("/mqtt/acl", "mode", "emqx4", "method", "get")))) {
      handler = request -> Reply.status(request.contains("acl") ? 403 : 200);
      assertThat(chain.result("c&x", "u", "p")).isEqualTo("allow");
      assertThat(requests.remove().substring("POST /mqtt/auth ".length()).split("&"))
          .containsExactlyInAnyOrder("clientid=c%26x", "username=u", "password=p");
      ClientAccess access = chain.security().accessOf((Admitted) chain.connect("c", "u", "p"));
      requests.clear();
      AccessDecision denied =
          access
              .maySubscribe(new Action.Subscribe(TopicFilter.parse("a/+"), Qos.AT_MOST_ONCE))
              .get(10, TimeUnit.SECONDS);
      assertThat(denied.allowed()).isFalse();
      assertThat(denied.decidedBy()).isEqualTo("authorization http");
      assertThat(requests.remove()).contains("GET /mqtt/acl?", "access=1", "topic=a%2F%2B");
      handler = request -> Reply.status(request.contains("auth") ? 403 : 200);
      assertThat(chain.result("c", "u", "p")).startsWith("BAD_USER_NAME_OR_PASSWORD");
      handler = request -> new Reply(200, "ignore", Map.of());
      assertThat(chain.result("c", "u", "p")).contains("unknown user");
      handler = request -> Reply.status(500);
      assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
    }
  }

  @Test
  void shouldNotLetNamesChangeTheRequest() throws Exception {
    handler = request -> Reply.json("{\"result\":\"deny\"}");
    String name = "a\"},{\"username\":\"admin&clientid=x/../../?b#c\r\nx-admin: 1 å";
    try (Chain json = logins("headers.x-user", "${username}");
        Chain form =
            Chain.open(
                List.of(http("/u/${username}/login", "method", "get", "headers.x-user", "%u")),
                List.of())) {
      json.result("c", name, "p");
      assertThat(requests.remove())
          .contains("\"username\":\"a\\\"},{\\\"username\\\":\\\"admin&clientid=x");
      assertThat(headers.remove()).doesNotContain("X-admin");
      form.result("c", name, "p");
      assertThat(requests.remove())
          .startsWith("GET /u/a%22%7D%2C%7B%22username%22%3A%22admin%26clientid%3Dx%2F..%2F..%2F")
          .doesNotContain("/../");
      assertThat(headers.remove()).doesNotContain("X-admin");
    }
  }

  @Test
  void shouldCacheAsTheResponseSays() throws Exception {
    handler =
        request -> new Reply(200, "{\"result\":\"allow\"}", Map.of("Cache-Control", "max-age=60"));
    try (Chain chain = logins()) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(requests).hasSize(1);
      assertThat(chain.result("c", "u", "other")).isEqualTo("allow");
      assertThat(chain.result("c2", "u", "p")).isEqualTo("allow");
      assertThat(requests).hasSize(3);
    }
    requests.clear();
    handler =
        request -> new Reply(200, "{\"result\":\"allow\"}", Map.of("Cache-Control", "no-store"));
    try (Chain chain = logins("cacheTime", "1 min")) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      assertThat(requests).hasSize(2);
    }
  }

  @Test
  void shouldLimitRequestsToASlowService() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    handler =
        request -> {
          try {
            release.await(20, TimeUnit.SECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
          return Reply.status(204);
        };
    try (Chain chain =
        logins(
            "timeout", "5 s", "maxConcurrent", "8", "maxWaiting", "50", "breakerFailures", "0")) {
      List<CompletableFuture<ConnectAdmission>> storm = new ArrayList<>();
      for (int i = 0; i < 1_000; i++) {
        storm.add(chain.login("c" + i, "u", "p"));
      }
      int busy = 0;
      for (CompletableFuture<ConnectAdmission> one : storm) {
        Refused refused = (Refused) one.get(20, TimeUnit.SECONDS);
        busy += refused.refusal() == ConnectAdmission.Refusal.SERVER_BUSY ? 1 : 0;
      }
      assertThat(busy).isEqualTo(1_000 - 8 - 50);
      assertThat(requests.size()).isLessThanOrEqualTo(8 + 50);
      release.countDown();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      String result = "";
      while (!result.equals("allow") && System.nanoTime() < end) {
        result = chain.result("c", "u", "p");
      }
      assertThat(result).isEqualTo("allow");
    }
  }

  @Test
  void shouldRecoverWhenTheServiceIsBack() throws Exception {
    int port = server.getAddress().getPort();
    try (Chain chain = logins("breakerTime", "100 ms", "breakerFailures", "3")) {
      assertThat(chain.result("c", "u", "p")).isEqualTo("allow");
      server.stop(0);
      for (int i = 0; i < 5; i++) {
        assertThat(chain.result("c", "u", "p")).startsWith("SERVER_UNAVAILABLE");
      }
      server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
      launch(server);
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
      String result = "";
      while (!result.equals("allow") && System.nanoTime() < end) {
        result = chain.result("c", "u", "p");
      }
      assertThat(result).isEqualTo("allow");
    }
  }

  @Test
  void shouldReportInvalidSettings() {
    assertThat(
            Chain.problems(
                List.of(
                    provider("type", "http"),
                    provider("type", "http", "url", "ftp://a/b"),
                    provider("type", "http", "url", "http://${username}/b"),
                    provider("type", "http", "url", "http://a/b", "body.t", "${topic}"),
                    provider("type", "http", "url", "http://a/b", "headers.a b", "x"),
                    provider("type", "http", "url", "https://a/b", "trustFile", "nowhere")),
                List.of(provider("type", "http", "url", "http://a/b", "body.p", "${password}"))))
        .satisfiesExactly(
            one -> assertThat(one).contains("authentication.0.url is required"),
            one -> assertThat(one).contains("authentication.1.url must be http://HOST:PORT"),
            one -> assertThat(one).contains("authentication.2.url must be http://HOST:PORT"),
            one ->
                assertThat(one).contains("body.t: ${topic} is not available during authentication"),
            one -> assertThat(one).contains("headers must be names of HTTP headers"),
            one -> assertThat(one).contains("trustFile: file not found"),
            one ->
                assertThat(one).contains("the password is only available during authentication"));
  }
}
