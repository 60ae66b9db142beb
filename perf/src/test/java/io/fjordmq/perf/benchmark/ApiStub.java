package io.fjordmq.perf.benchmark;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** An HTTP server on a free loopback port that answers requests like the REST API. */
final class ApiStub implements AutoCloseable {
  static final String TOKEN = "secret";

  private final HttpServer server;
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private final List<InetSocketAddress> clients = new CopyOnWriteArrayList<>();

  /**
   * @param status status to answer
   * @param body body for a path with its query
   */
  ApiStub(int status, Function<String, String> body) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", exchange -> answer(exchange, status, body));
    server.start();
  }

  private void answer(HttpExchange exchange, int status, Function<String, String> body)
      throws IOException {
    try (exchange) {
      String request = exchange.getRequestURI().toString();
      requests.add(request);
      clients.add(exchange.getRemoteAddress());
      boolean known =
          ("Bearer " + TOKEN).equals(exchange.getRequestHeaders().getFirst("Authorization"));
      byte[] bytes = body.apply(request).getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(known ? status : 401, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  ApiEndpoint endpoint() {
    InetSocketAddress address = server.getAddress();
    return new ApiEndpoint(address.getHostString(), address.getPort(), TOKEN);
  }

  /** Returns the requests so far, each with its path and query. */
  List<String> requests() {
    return requests;
  }

  /** Returns the number of connections that have sent requests. */
  long connections() {
    return clients.stream().distinct().count();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
