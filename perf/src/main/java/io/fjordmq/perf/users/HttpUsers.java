package io.fjordmq.perf.users;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fjordmq.perf.machine.ServiceUsage;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * An HTTP service in the process of the tool, with the contract of EMQX 5. It allows with status
 * 204 and denies with 200 and a body, as the broker's provider expects.
 */
public final class HttpUsers implements UserService {
  private static final int BACKLOG = 1_024;
  private static final int ALLOW = 204;
  private static final int UNKNOWN = 404;

  private final Map<String, UserAccount> accounts = new HashMap<>();
  private final JsonMapper json = JsonMapper.builder().build();
  private final LongAdder calls = new LongAdder();
  private final ExecutorService threads =
      Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
  private final HttpServer server;

  private HttpUsers(Iterable<UserAccount> accounts) throws IOException {
    accounts.forEach(account -> this.accounts.put(account.name(), account));
    InetSocketAddress anyPort = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    this.server = HttpServer.create(anyPort, BACKLOG);
  }

  static HttpUsers start(Iterable<UserAccount> accounts) throws IOException {
    HttpUsers users = new HttpUsers(accounts);
    users.server.createContext("/auth", exchange -> users.respond(exchange, users::mayConnect));
    users.server.createContext("/acl", exchange -> users.respond(exchange, users::isAllowed));
    users.server.setExecutor(users.threads);
    users.server.start();
    return users;
  }

  private void respond(HttpExchange exchange, Predicate<JsonNode> decision) throws IOException {
    try (exchange) {
      calls.increment();
      // The whole body must be read for the connection to stay open.
      JsonNode request = json.readTree(exchange.getRequestBody().readAllBytes());
      if (accountOf(request) == null) {
        exchange.sendResponseHeaders(UNKNOWN, -1);
      } else if (decision.test(request)) {
        exchange.sendResponseHeaders(ALLOW, -1);
      } else {
        byte[] deny = "{\"result\": \"deny\"}".getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, deny.length);
        exchange.getResponseBody().write(deny);
      }
    }
  }

  private @Nullable UserAccount accountOf(JsonNode request) {
    return accounts.get(request.path("username").asString(""));
  }

  private boolean mayConnect(JsonNode request) {
    UserAccount account = accountOf(request);
    return account != null && account.password().equals(request.path("password").asString(""));
  }

  private boolean isAllowed(JsonNode request) {
    UserAccount account = accountOf(request);
    if (account == null) {
      return false;
    }
    boolean publish = request.path("action").asString("").equals("publish");
    List<String> filters = publish ? account.publishes() : account.subscribes();
    String topic = request.path("topic").asString("");
    return filters.stream().anyMatch(filter -> covers(filter, topic));
  }

  /** Returns whether a rule for a filter covers a topic, or another filter. */
  static boolean covers(String filter, String topic) {
    String[] levels = filter.split("/", -1);
    String[] actual = topic.split("/", -1);
    for (int i = 0; i < levels.length; i++) {
      if (levels[i].equals("#")) {
        return true;
      }
      if (i >= actual.length
          || actual[i].equals("#")
          || !(levels[i].equals("+") || levels[i].equals(actual[i]))) {
        return false;
      }
    }
    return levels.length == actual.length;
  }

  @Override
  public String configuration() {
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    return """
    securityConfig:
      allowAnonymous: loopback
      authentication:
        - type: http
          url: %s/auth
          body: {username: "${username}", password: "${password}"}
      authorization:
        - type: http
          url: %s/acl
          body: {username: "${username}", action: "${action}", topic: "${topic}"}
    """
        .formatted(url, url);
  }

  @Override
  public Optional<ServiceUsage> usage() {
    return Optional.of(new ServiceUsage(1, calls.sum(), OptionalLong.empty()));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdown();
  }
}
