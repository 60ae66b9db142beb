package io.fjordmq.broker.rest;

import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The OpenAPI description and the reference page. They describe the program, not the cluster, so
 * they need no credentials. They are generated at the first request, because most nodes never get
 * one. Thread-safe.
 */
final class Documentation {
  static final String OPENAPI_PATH = RestApi.BASE + "/openapi.json";
  static final String PAGE_PATH = "/api-docs";

  /** Where EMQX serves its description. */
  private static final String EMQX_PATH = "/api-docs/swagger.json";

  private static final byte[] NOTHING = {};

  private final List<Operation> operations;
  private final String version;
  private final Json json;
  private @Nullable Map<String, HttpReply> replies; // guarded by this

  Documentation(List<Operation> operations, String version, Json json) {
    this.operations = List.copyOf(operations);
    this.version = version;
    this.json = json;
  }

  static boolean serves(String path) {
    return path.equals(PAGE_PATH) || path.startsWith(PAGE_PATH + "/");
  }

  /**
   * The response to a request for documentation; empty if the path is not part of it.
   *
   * @throws ApiException 405 if the method is not GET
   */
  Optional<HttpReply> find(ApiCall call) {
    String path = call.path();
    if (!serves(path) && !path.equals(OPENAPI_PATH)) {
      return Optional.empty();
    }
    HttpReply reply = replies().get(path);
    if (reply != null && !call.method().equals("GET") && !call.method().equals("HEAD")) {
      throw new ApiException(
          ErrorCode.METHOD_NOT_ALLOWED,
          "method not allowed on this path; allowed methods: GET, HEAD",
          Map.of("Allow", "GET, HEAD"));
    }
    return Optional.ofNullable(reply);
  }

  private synchronized Map<String, HttpReply> replies() {
    Map<String, HttpReply> generated = replies;
    if (generated == null) {
      generated = generate();
      replies = generated;
    }
    return generated;
  }

  private Map<String, HttpReply> generate() {
    HttpReply page =
        new HttpReply(
                200,
                "text/html; charset=utf-8",
                Map.of("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'"),
                new ReferencePage(operations, version).html().getBytes(StandardCharsets.UTF_8))
            .withGzip();
    HttpReply description =
        new HttpReply(
                200,
                "application/json",
                Map.of(),
                json.write(new OpenApi(operations, version).tree()))
            .withGzip();
    HttpReply redirect = new HttpReply(302, "", Map.of("Location", OPENAPI_PATH), NOTHING);
    return Map.of(
        OPENAPI_PATH, description, PAGE_PATH, page, PAGE_PATH + "/", page, EMQX_PATH, redirect);
  }
}
