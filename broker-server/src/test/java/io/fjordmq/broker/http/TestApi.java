package io.fjordmq.broker.http;

import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Predicate;

/** An API below {@code /api/}, whose callers need the header {@code Authorization: secret}. */
final class TestApi implements Api {
  /** No path belongs to it. */
  static final Api NONE = new TestApi("/none/", call -> new CompletableFuture<>());

  private final String prefix;
  private final Function<ApiCall, CompletableFuture<HttpReply>> handler;
  private final Predicate<ApiCall> accepts;

  TestApi(Function<ApiCall, CompletableFuture<HttpReply>> handler) {
    this("/api/", handler);
  }

  private TestApi(String prefix, Function<ApiCall, CompletableFuture<HttpReply>> handler) {
    this(prefix, handler, call -> call.authorization().filter("secret"::equals).isPresent());
  }

  /**
   * @param accepts whether the credentials of a request for a page or for MQTT are valid
   */
  TestApi(Function<ApiCall, CompletableFuture<HttpReply>> handler, Predicate<ApiCall> accepts) {
    this("/api/", handler, accepts);
  }

  private TestApi(
      String prefix,
      Function<ApiCall, CompletableFuture<HttpReply>> handler,
      Predicate<ApiCall> accepts) {
    this.prefix = prefix;
    this.handler = handler;
    this.accepts = accepts;
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
        accepts.test(call) ? Optional.empty() : Optional.of(reply(401, "refused")));
  }

  @Override
  public CompletableFuture<MqttAdmission> admitMqttClient(ApiCall call) {
    return refuse(call)
        .thenApply(
            refused ->
                refused.isPresent()
                    ? new MqttAdmission.Refused(refused.get())
                    : new MqttAdmission.Admitted(new MqttUser("tester", "")));
  }
}
