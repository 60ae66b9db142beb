package io.fjordmq.broker.rest;

import io.fjordmq.broker.http.Api;
import io.fjordmq.broker.http.ApiCall;
import io.fjordmq.broker.http.HttpReply;
import io.fjordmq.broker.http.MqttAdmission;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Serves the API throughout the lifetime of the process. Responds with 503 while the node starts
 * and stops. Thread-safe.
 */
public final class RestEndpoint implements Api, AutoCloseable {
  private static final ApiException STARTING =
      ApiException.unavailable("the node is starting; /readyz reports when it is ready");
  private static final ApiException STOPPING = ApiException.unavailable("the node is stopping");

  private volatile ApiException unavailable = STARTING;
  private volatile @Nullable RestApi api;
  private volatile @Nullable Supplier<RestApi> source;
  private @Nullable Replies replies; // guarded by this

  /**
   * Begins to handle requests.
   *
   * @param created creates the API for the first request. The API and its JSON library take several
   *     megabytes, which a node that nobody asks saves
   */
  public void open(Supplier<RestApi> created) {
    source = created;
  }

  /** The API; null while it is unavailable. The first call takes a fraction of a second. */
  private @Nullable RestApi api() {
    RestApi current = api;
    return current != null || source == null ? current : create();
  }

  private synchronized @Nullable RestApi create() {
    RestApi current = api;
    Supplier<RestApi> creating = source;
    if (current == null && creating != null) {
      current = creating.get();
      api = current;
    }
    return current;
  }

  @Override
  public boolean serves(String path) {
    return path.equals(RestApi.BASE)
        || path.startsWith(RestApi.BASE + "/")
        || Documentation.serves(path);
  }

  @Override
  public CompletableFuture<HttpReply> handle(ApiCall call, Executor threads) {
    RestApi current = api();
    return current == null ? refused(call) : current.handle(call, threads);
  }

  @Override
  public CompletableFuture<Optional<HttpReply>> refuse(ApiCall call) {
    RestApi current = api();
    return current == null ? refused(call).thenApply(Optional::of) : current.refuse(call);
  }

  @Override
  public CompletableFuture<MqttAdmission> admitMqttClient(ApiCall call) {
    RestApi current = api;
    return current == null
        ? refused(call).thenApply(MqttAdmission.Refused::new)
        : current.admitMqttClient(call);
  }

  private CompletableFuture<HttpReply> refused(ApiCall call) {
    return CompletableFuture.completedFuture(replies().of(call, null, unavailable));
  }

  private synchronized Replies replies() {
    Replies created = replies == null ? new Replies(new Json()) : replies;
    replies = created;
    return created;
  }

  /** Stops handling requests. */
  @Override
  public synchronized void close() {
    unavailable = STOPPING;
    source = null;
    RestApi closed = api;
    api = null;
    if (closed != null) {
      closed.close();
    }
  }
}
