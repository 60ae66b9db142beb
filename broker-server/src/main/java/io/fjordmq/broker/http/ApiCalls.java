package io.fjordmq.broker.http;

import java.net.InetAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.http.HttpException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.util.Promise;
import org.eclipse.jetty.util.thread.Invocable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes requests to the API, on the threads {@code http-api-*}. {@code
 * httpConfig.maxPendingApiRequests} bounds the requests that wait for these threads or for other
 * parts of the node, and with them the bodies in memory. Thread-safe; does not block.
 */
final class ApiCalls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);
  private static final int KEEP_ALIVE_SECONDS = 60;

  /** The API itself observes the deadline of a call, unless a bug blocks its threads. */
  private static final long GRACE_MILLIS = 1_000;

  private final Api api;
  private final HttpSettings settings;
  private final HttpObserver observer;
  private final PendingResponses pending;
  private final ThreadPoolExecutor threads;

  ApiCalls(Api api, HttpSettings settings, HttpObserver observer, PendingResponses pending) {
    this.api = api;
    this.settings = settings;
    this.observer = observer;
    this.pending = pending;
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            settings.apiThreads(),
            settings.apiThreads(),
            KEEP_ALIVE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // bounded by the number of admitted requests
            task -> new Thread(task, "http-api-" + number.incrementAndGet()));
    threads.allowCoreThreadTimeOut(true);
  }

  /** Handles a request to the API. */
  void handle(Exchange exchange) {
    PendingResponses.@Nullable Slot slot =
        pending.admit(exchange.client(), PendingResponses.Group.API);
    if (slot == null) {
      exchange.send(tooBusy());
      return;
    }
    exchange.onCompletion(slot::release);
    ApiCall call = call(exchange);
    exchange.sendWhenPrepared(
        CompletableFuture.supplyAsync(() -> api.handle(call, threads), threads)
            .thenCompose(reply -> reply)
            .orTimeout(settings.requestTimeout().toMillis() + GRACE_MILLIS, TimeUnit.MILLISECONDS)
            .exceptionally(failure -> failed(exchange, failure))
            .thenApply(reply -> admitted(reply, slot)),
        failure -> failed(exchange, failure));
  }

  private HttpReply admitted(HttpReply reply, PendingResponses.Slot slot) {
    if (reply.status() == HttpStatus.GATEWAY_TIMEOUT_504) {
      observer.onLimitReached(HttpLimit.REQUEST_TIMEOUT);
    }
    return slot.reserve(reply.body().length) ? reply : tooBusy();
  }

  /** Checks whether the client may read a page; see {@link Api#refuse}. */
  CompletableFuture<Optional<HttpReply>> refuse(Exchange exchange) {
    ApiCall call = call(exchange);
    return CompletableFuture.supplyAsync(() -> api.refuse(call), threads)
        .thenCompose(refused -> refused)
        .orTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  private ApiCall call(Exchange exchange) {
    Request request = exchange.request();
    String query = request.getHttpURI().getQuery();
    return new ApiCall(
        request.getMethod(),
        String.valueOf(request.getHttpURI().getPath()),
        query == null ? "" : query,
        header(request, HttpHeader.AUTHORIZATION),
        header(request, HttpHeader.CONTENT_TYPE),
        header(request, HttpHeader.ORIGIN),
        header(request, HttpHeader.HOST).orElse(""),
        exchange.clientAddress().map(InetAddress::getHostAddress).orElse("unknown"),
        () -> body(request),
        System.nanoTime() + settings.requestTimeout().toNanos());
  }

  private static Optional<String> header(Request request, HttpHeader name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  private CompletableFuture<byte[]> body(Request request) {
    CompletableFuture<byte[]> body = new CompletableFuture<>();
    Content.Source.asByteArrayAsync(
        request,
        settings.maxBodyBytes() + 1,
        Promise.Invocable.from(
            Invocable.InvocationType.NON_BLOCKING, body::complete, body::completeExceptionally));
    return body.orTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(failure -> CompletableFuture.failedFuture(unreadable(failure)));
  }

  private ApiCall.BodyException unreadable(Throwable failure) {
    if (failure instanceof HttpException tooMany
        && tooMany.getCode() == HttpStatus.PAYLOAD_TOO_LARGE_413) {
      return tooLarge();
    }
    return new ApiCall.BodyException(
        failure instanceof TimeoutException
            ? "the body did not arrive within %d ms".formatted(settings.requestTimeout().toMillis())
            : "the body cannot be read",
        false);
  }

  private ApiCall.BodyException tooLarge() {
    return new ApiCall.BodyException(
        "the body is larger than httpConfig.maxBodyBytes (%d)".formatted(settings.maxBodyBytes()),
        true);
  }

  private static HttpReply failed(Exchange exchange, Throwable failure) {
    if (failure instanceof TimeoutException) {
      return HttpReply.apiError(
          HttpStatus.GATEWAY_TIMEOUT_504,
          "TIMEOUT",
          "the operation did not complete in time and may still complete");
    }
    LOG.error(
        "Failed to handle an API request; please report this bug " + "path={}",
        exchange.path(),
        failure);
    return HttpReply.apiError(
        HttpStatus.INTERNAL_SERVER_ERROR_500, "INTERNAL_ERROR", "the request failed; see the log");
  }

  private static HttpReply tooBusy() {
    return HttpReply.apiError(
            HttpStatus.SERVICE_UNAVAILABLE_503,
            "SERVICE_UNAVAILABLE",
            "too many requests in progress; retry later")
        .withHeader("Retry-After", "1");
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
