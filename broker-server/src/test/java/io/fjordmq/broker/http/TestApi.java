package io.fjordmq.broker.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/** An API below {@code /api/}, whose callers need the header {@code Authorization: secret}. */
final class TestApi implements Api {
  /** No path belongs to it. */
  static final Api NONE = new TestApi("/none/", call -> new CompletableFuture<>());

  private final String prefix;
  private final Function<ApiCall, CompletableFuture<HttpReply>> handler;

  TestApi(Function<ApiCall, CompletableFuture<HttpReply>> handler) {
    this("/api/", handler);
  }

  private TestApi(String prefix, Function<ApiCall, CompletableFuture<HttpReply>> handler) {
    this.prefix = prefix;
    this.handler = handler;
  }

  static HttpReply reply(int status, String text) {
    return new HttpReply(status, "text/plain", Map.of(), text.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public boolean serves(String path) {
    return path.startsWith(prefix);
  }

  @Override
  public CompletableFuture<HttpReply> handle(ApiCall call, Executor threads) {
    return handler.apply(call);
  }

  @Override
  public CompletableFuture<Optional<HttpReply>> refuse(ApiCall call) {
    return CompletableFuture.completedFuture(
        call.authorization().filter("secret"::equals).isPresent()
            ? Optional.empty()
            : Optional.of(reply(401, "refused")));
  }
}
