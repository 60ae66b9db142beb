package io.fjordmq.broker.rest;

import io.fjordmq.broker.http.Api;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The API from the start of the process until its end. While the node starts and stops, requests
 * are answered with 503. Thread-safe.
 */
public final class RestEndpoint implements Api, AutoCloseable {
  private static final ApiException STARTING =
      ApiException.unavailable("the node is starting; /readyz reports when it is ready");
  private static final ApiException STOPPING = ApiException.unavailable("the node is stopping");

  private final Replies replies = new Replies(new Json());
  private volatile ApiException unavailable = STARTING;
  private volatile @Nullable RestApi api;

  /** Begins to handle requests. */
  public void open(RestApi opened) {
    api = opened;
  }

  @Override
  public boolean serves(String path) {
    return path.equals(RestApi.BASE)
        || path.startsWith(RestApi.BASE + "/")
        || Documentation.serves(path);
  }

  @Override
  public CompletableFuture<HttpReply> handle(ApiCall call, Executor threads) {
    RestApi current = api;
    return current == null ? refused(call) : current.handle(call, threads);
  }

  @Override
  public CompletableFuture<Optional<HttpReply>> refuse(ApiCall call) {
    RestApi current = api;
    return current == null ? refused(call).thenApply(Optional::of) : current.refuse(call);
  }

  private CompletableFuture<HttpReply> refused(ApiCall call) {
    return CompletableFuture.completedFuture(replies.of(call, null, unavailable));
  }

  /** Stops handling requests. */
  @Override
  public void close() {
    unavailable = STOPPING;
    RestApi closed = api;
    api = null;
    if (closed != null) {
      closed.close();
    }
  }
}
