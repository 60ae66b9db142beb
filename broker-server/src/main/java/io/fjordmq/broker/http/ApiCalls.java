package io.fjordmq.broker.http;

import io.fjordmq.broker.http.ApiCall.BodyException.Kind;
import io.fjordmq.common.Deadlines;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
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
 * parts of the node, and {@code httpConfig.maxPendingRequestBytes} their memory. Thread-safe; does
 * not block.
 */
final class ApiCalls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ApiCalls.class);
  private static final int KEEP_ALIVE_SECONDS = 60;

  /** The API itself observes the deadline of a call, unless a bug blocks its threads. */
  private static final Duration GRACE = Duration.ofSeconds(1);

  /** Maximum body of a caller without credentials, who can only log in. */
  private static final int MAX_ANONYMOUS_BODY_BYTES = 16 << 10;

  /** Memory for one byte of a body: the byte itself, and the parsed JSON. */
  private static final int MEMORY_PER_BODY_BYTE = 8;

  private final Api api;
  private final HttpSettings settings;
  private final HttpObserver observer;
  private final PendingResponses pending;
  private final ThreadPoolExecutor threads;
  private final Deadlines deadlines = new Deadlines();

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
    ApiCall call = call(exchange, new SlotBody(exchange.request(), slot), slot::reserveRequest);
    CompletableFuture<HttpReply> reply =
        CompletableFuture.supplyAsync(() -> api.handle(call, threads), threads)
            .thenCompose(handled -> handled);
    exchange.sendWhenPrepared(
        deadlines
            .limit(reply, settings.requestTimeout().plus(GRACE))
            .exceptionally(failure -> failed(exchange, failure))
            .thenApply(prepared -> admitted(prepared, slot)),
        failure -> failed(exchange, failure));
  }

  private HttpReply admitted(HttpReply reply, PendingResponses.Slot slot) {
    if (reply.status() == HttpStatus.GATEWAY_TIMEOUT_504) {
      observer.onLimitReached(HttpLimit.REQUEST_TIMEOUT);
    }
    return slot.reserve(reply.content().length()) ? reply : tooBusy();
  }

  /** The body of a request that occupies a slot. */
  private final class SlotBody implements ApiCall.Body {
    private final Request request;
    private final PendingResponses.Slot slot;

    private SlotBody(Request request, PendingResponses.Slot slot) {
      this.request = request;
      this.slot = slot;
    }

    @Override
    public CompletableFuture<byte[]> read() {
      long length = request.getLength() < 0 ? settings.maxBodyBytes() : request.getLength();
      return slot.reserveRequest(length * MEMORY_PER_BODY_BYTE)
          ? ApiCalls.this.read(request, settings.maxBodyBytes())
          : CompletableFuture.failedFuture(
              new ApiCall.BodyException(
                  Kind.NO_MEMORY,
                  "requests in progress use too much memory (httpConfig.maxPendingRequestBytes);"
                      + " retry later"));
    }

    @Override
    public CompletableFuture<byte[]> readAnonymous() {
      slot.beginAnonymousBody();
      return ApiCalls.this
          .read(request, Math.min(MAX_ANONYMOUS_BODY_BYTES, settings.maxBodyBytes()))
          .whenComplete((body, failure) -> slot.endAnonymousBody());
    }
  }

  /** Checks whether the client may read a page; see {@link Api#refuse}. */
  CompletableFuture<Optional<HttpReply>> refuse(Exchange exchange) {
    ApiCall call = call(exchange, ApiCalls::noBody, ApiCall.Memory.UNLIMITED);
    return CompletableFuture.supplyAsync(() -> api.refuse(call), threads)
        .thenCompose(refused -> refused)
        .orTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
  }

  /** A request without a body, with other credentials than those in its header. */
  ApiCall call(Exchange exchange, Optional<String> authorization) {
    return call(exchange, ApiCalls::noBody, ApiCall.Memory.UNLIMITED)
        .withAuthorization(authorization);
  }

  /** Checks whether the client may use MQTT; see {@link Api#admitMqttClient}. */
  CompletableFuture<MqttAdmission> admit(ApiCall call) {
    try {
      return CompletableFuture.supplyAsync(() -> api.admitMqttClient(call), threads)
          .thenCompose(admission -> admission)
          .orTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) { // the server is stopping
      return CompletableFuture.failedFuture(e);
    }
  }

  /** Pages have no bodies. */
  private static CompletableFuture<byte[]> noBody() {
    return CompletableFuture.completedFuture(new byte[0]);
  }

  private ApiCall call(Exchange exchange, ApiCall.Body body, ApiCall.Memory memory) {
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
        body,
        memory,
        System.nanoTime() + settings.requestTimeout().toNanos());
  }

  private static Optional<String> header(Request request, HttpHeader name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  private CompletableFuture<byte[]> read(Request request, int maxBytes) {
    if (request.getLength() > maxBytes) {
      return CompletableFuture.failedFuture(tooLarge(maxBytes));
    }
    CompletableFuture<byte[]> body = new CompletableFuture<>();
    Content.Source.asByteArrayAsync(
        request,
        maxBytes + 1,
        Promise.Invocable.from(
            Invocable.InvocationType.NON_BLOCKING, body::complete, body::completeExceptionally));
    return body.orTimeout(settings.requestTimeout().toMillis(), TimeUnit.MILLISECONDS)
        .exceptionallyCompose(
            failure -> CompletableFuture.failedFuture(unreadable(failure, maxBytes)));
  }

  private ApiCall.BodyException unreadable(Throwable failure, int maxBytes) {
    if (failure instanceof HttpException tooMany
        && tooMany.getCode() == HttpStatus.PAYLOAD_TOO_LARGE_413) {
      return tooLarge(maxBytes);
    }
    return new ApiCall.BodyException(
        Kind.UNREADABLE,
        failure instanceof TimeoutException
            ? "the body did not arrive within %d ms".formatted(settings.requestTimeout().toMillis())
            : "the body cannot be read");
  }

  private ApiCall.BodyException tooLarge(int maxBytes) {
    return new ApiCall.BodyException(
        Kind.TOO_LARGE,
        maxBytes == settings.maxBodyBytes()
            ? "the body is larger than httpConfig.maxBodyBytes (%d)".formatted(maxBytes)
            : "the body is larger than %d bytes, the maximum without credentials"
                .formatted(maxBytes));
  }

  static HttpReply failed(Exchange exchange, Throwable failure) {
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
