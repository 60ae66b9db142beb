package io.fjordmq.broker.rest;

import io.fjordmq.broker.accounts.Caller;
import io.fjordmq.broker.accounts.Role;
import io.fjordmq.broker.http.ApiCall;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A request to a resource without a server: what the handler gets is what callers send. */
final class TestRequest {
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private final List<Operation> operations;
  private final Function<CompletableFuture<Response>, CompletableFuture<Response>> run;
  private @Nullable String tenant;
  private long timeoutNanos = TimeUnit.MINUTES.toNanos(1);

  /**
   * @param run makes a response complete
   */
  TestRequest(
      Resource resource, Function<CompletableFuture<Response>, CompletableFuture<Response>> run) {
    this.operations = resource.operations();
    this.run = run;
  }

  /** From now on, the caller is bound to a tenant. */
  TestRequest boundTo(@Nullable String only) {
    tenant = only;
    return this;
  }

  /** From now on, callers get a timeout before the request begins. */
  TestRequest expired() {
    timeoutNanos = 0;
    return this;
  }

  /** Sends a request without a body; returns the body of the response. */
  JsonNode get(String pathAndQuery) {
    return body(send("GET", pathAndQuery, null));
  }

  /** Returns the body of a response. */
  static JsonNode body(Response response) {
    return MAPPER.readTree(new Json().write(Objects.requireNonNull(response.json())));
  }

  /**
   * Sends a request.
   *
   * @throws ApiException if the response is an error
   */
  Response send(String method, String pathAndQuery, @Nullable String json) {
    int mark = pathAndQuery.indexOf('?');
    String path = mark < 0 ? pathAndQuery : pathAndQuery.substring(0, mark);
    List<String> segments = UrlDecoder.segments(path);
    Operation operation =
        operations.stream()
            .filter(known -> known.method().name().equals(method))
            .filter(known -> variables(known, segments) != null)
            .findFirst()
            .orElseThrow(() -> new AssertionError("no operation " + method + " " + path));
    Map<String, List<Object>> query = new LinkedHashMap<>();
    if (mark >= 0) {
      UrlDecoder.parameters(pathAndQuery.substring(mark + 1))
          .forEach((name, values) -> query.put(name, parse(operation, name, values)));
    }
    Object body =
        json == null
            ? null
            : new Json()
                .read(json.getBytes(StandardCharsets.UTF_8), operation.body().orElseThrow());
    Caller caller = new Caller("test", Caller.Kind.API_KEY, Role.ADMINISTRATOR, tenant);
    Map<String, String> variables = variables(operation, segments);
    Request request =
        new Request(
            operation,
            Optional.of(caller),
            variables == null ? Map.of() : variables,
            query,
            body,
            "127.0.0.1",
            ApiCall.Memory.UNLIMITED,
            System.nanoTime() + timeoutNanos);
    return await(operation, request);
  }

  private Response await(Operation operation, Request request) {
    try {
      return run.apply(operation.handler().handle(request)).join();
    } catch (java.util.concurrent.CompletionException e) {
      if (e.getCause() instanceof ApiException expected) {
        throw expected;
      }
      throw e;
    }
  }

  private static List<Object> parse(Operation operation, String name, List<String> values) {
    Parameter parameter =
        operation.queryParameters().stream()
            .filter(known -> known.name().equals(name))
            .findFirst()
            .orElseThrow(() -> new AssertionError(operation + " has no parameter " + name));
    return values.stream().map(parameter::parse).toList();
  }

  /** The variables of a path; null if it does not match. */
  private static @Nullable Map<String, String> variables(
      Operation operation, List<String> segments) {
    String[] template = operation.path().substring(1).split("/", -1);
    if (template.length != segments.size()) {
      return null;
    }
    Map<String, String> variables = new LinkedHashMap<>();
    for (int i = 0; i < template.length; i++) {
      if (template[i].startsWith("{")) {
        variables.put(template[i].substring(1, template[i].length() - 1), segments.get(i));
      } else if (!template[i].equals(segments.get(i))) {
        return null;
      }
    }
    return variables;
  }
}
