package io.fjordmq.cli;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** An HTTP server with prepared responses, which records the requests. */
final class FakeApi implements AutoCloseable {
  private static final String BASE = "/api/v5";

  /** A request: method, path below the base path with its query, header Authorization, body. */
  record Recorded(String line, String authorization, String body) {}

  private record Prepared(int status, String body) {}

  private final Map<String, Prepared> responses = new ConcurrentHashMap<>();
  private final List<Recorded> requests = new CopyOnWriteArrayList<>();
  private final HttpServer server;
  private final String scheme;

  FakeApi() {
    this(null);
  }

  /** With TLS, unless the context is null. */
  FakeApi(@Nullable SSLContext tls) {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try {
      if (tls == null) {
        server = HttpServer.create(address, 0);
      } else {
        HttpsServer secure = HttpsServer.create(address, 0);
        secure.setHttpsConfigurator(new HttpsConfigurator(tls));
        server = secure;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    scheme = tls == null ? "http" : "https";
    server.createContext("/", this::handle);
    server.start();
  }

  String url() {
    return scheme + "://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Prepares a response. */
  FakeApi on(String line, int status, String body) {
    responses.put(line, new Prepared(status, body));
    return this;
  }

  /** Prepares a response with status 200. */
  FakeApi on(String line, String body) {
    return on(line, 200, body);
  }

  List<Recorded> requests() {
    return requests;
  }

  List<String> lines() {
    return requests.stream().map(Recorded::line).toList();
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String uri = exchange.getRequestURI().toString();
      String line =
          exchange.getRequestMethod()
              + " "
              + (uri.startsWith(BASE) ? uri.substring(BASE.length()) : "outside the API: " + uri);
      String authorization = exchange.getRequestHeaders().getFirst("Authorization");
      byte[] body = exchange.getRequestBody().readAllBytes();
      requests.add(
          new Recorded(
              line,
              authorization == null ? "" : authorization,
              new String(body, StandardCharsets.UTF_8)));
      Prepared prepared =
          responses.getOrDefault(
              line,
              new Prepared(
                  404, "{\"code\":\"NOT_FOUND\",\"message\":\"nothing prepared: " + line + "\"}"));
      byte[] bytes = prepared.body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(prepared.status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
