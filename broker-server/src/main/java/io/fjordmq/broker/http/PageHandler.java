package io.fjordmq.broker.http;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps paths to pages, and passes requests for other paths to the API. Runs on Jetty's threads and
 * never blocks them: {@code /livez} is served immediately, {@code /readyz} is prepared on a
 * dedicated thread, and the large pages {@code /metrics} and {@code /status} on another one, which
 * also reads the files of the web page once. The API has its own threads.
 *
 * <p>Probes do not count as pending requests, so that other clients cannot block them. That is safe
 * because each connection has at most one probe in progress, with a small response.
 */
final class PageHandler extends Handler.Abstract.NonBlocking implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);
  private static final Set<String> PATHS = Set.of("/metrics", "/livez", "/readyz", "/status");
  private static final Set<String> METHODS = Set.of("GET", "HEAD");

  private final Pages pages;
  private final Api api;
  private final HttpSettings settings;
  private final HttpObserver observer;
  private final PendingResponses pending;
  private final ApiCalls apiCalls;
  private final MqttUpgrade mqttUpgrade;
  private final PageThread probes;
  private final PageThread largePages;

  PageHandler(
      Pages pages, Api api, MqttClients mqtt, HttpSettings settings, HttpObserver observer) {
    this.pages = pages;
    this.api = api;
    this.settings = settings;
    this.observer = observer;
    this.pending = new PendingResponses(settings, observer);
    this.apiCalls = new ApiCalls(api, settings, observer, pending);
    this.mqttUpgrade = new MqttUpgrade(mqtt, apiCalls);
    this.probes =
        new PageThread("http-probes", settings.maxConnections(), settings.requestTimeout());
    this.largePages =
        new PageThread("http-pages", settings.maxPendingRequests(), settings.requestTimeout());
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    Exchange exchange = new Exchange(request, response, callback, settings, observer);
    if (api.serves(String.valueOf(request.getHttpURI().getPath()))) {
      apiCalls.handle(exchange);
    } else {
      handlePage(exchange);
    }
    return true;
  }

  private void handlePage(Exchange exchange) {
    if (exchange.request().getHttpURI().hasViolations()) {
      exchange.send(HttpReply.text(HttpStatus.BAD_REQUEST_400, "ambiguous path\n"));
      return;
    }
    String path = exchange.path();
    if (MqttUpgrade.serves(path)) {
      mqttUpgrade.handle(exchange);
    } else if (!isPage(path)) {
      exchange.send(
          HttpReply.text(
              HttpStatus.NOT_FOUND_404,
              "not found; available: / (web page), /mqtt, /metrics, /livez, /readyz, /status, /api/v5,"
                  + " /api-docs\n"));
    } else if (!METHODS.contains(exchange.request().getMethod())) {
      exchange.send(
          HttpReply.text(HttpStatus.METHOD_NOT_ALLOWED_405, "only GET and HEAD are allowed\n")
              .withHeader("Allow", "GET, HEAD"));
    } else if (pages.web().serves(path)) {
      sendFile(exchange);
    } else if (path.equals("/livez")) {
      exchange.send(HttpReply.text(HttpStatus.OK_200, "alive\n"));
    } else if (path.equals("/readyz")) {
      exchange.sendWhenPrepared(
          probes.prepare(this::readiness), failure -> errorPage(path, failure));
    } else {
      sendLargePage(exchange);
    }
  }

  private boolean isPage(String path) {
    return PATHS.contains(path) || pages.web().serves(path);
  }

  /**
   * Sends a file of the web page. All responses share the bytes in memory, so requests for them do
   * not count as pending. Only the first request has to wait until the files have been read.
   */
  private void sendFile(Exchange exchange) {
    String path = exchange.path();
    Optional<HttpReply> file = pages.web().findInMemory(path);
    if (file.isPresent()) {
      exchange.send(exchange.unlessUnchanged(file.get()));
    } else {
      exchange.sendWhenPrepared(
          largePages
              .prepare(() -> CompletableFuture.completedFuture(pages.web().load(path)))
              .thenApply(exchange::unlessUnchanged),
          failure -> errorPage(path, failure));
    }
  }

  private void sendLargePage(Exchange exchange) {
    PendingResponses.@Nullable Slot slot =
        pending.admit(exchange.client(), PendingResponses.Group.PAGES);
    if (slot == null) {
      exchange.send(tooBusy());
      return;
    }
    exchange.onCompletion(slot::release);
    exchange.sendWhenPrepared(
        refuse(exchange)
            .thenCompose(
                refused ->
                    refused
                        .map(CompletableFuture::completedFuture)
                        .orElseGet(() -> largePages.prepare(() -> largePage(exchange))))
            .thenApply(page -> slot.reserve(size(page)) ? page : tooBusy()),
        failure -> errorPage(exchange.path(), failure));
  }

  /** Checks whether the client may read metrics and status. */
  private CompletableFuture<Optional<HttpReply>> refuse(Exchange exchange) {
    boolean anonymous =
        switch (settings.anonymousMetrics()) {
          case ALL -> true;
          case NONE -> false;
          case LOOPBACK ->
              exchange.clientAddress().map(InetAddress::isLoopbackAddress).orElse(false);
        };
    return anonymous
        ? CompletableFuture.completedFuture(Optional.empty())
        : apiCalls.refuse(exchange);
  }

  private CompletableFuture<HttpReply> readiness() {
    List<String> reasons = pages.notReadyReasons().get();
    return CompletableFuture.completedFuture(
        reasons.isEmpty()
            ? HttpReply.text(HttpStatus.OK_200, "ready\n")
            : HttpReply.text(
                HttpStatus.SERVICE_UNAVAILABLE_503, String.join("\n", reasons) + "\n"));
  }

  /** The memory of a page: of one that is compressed, both variants exist until it is sent. */
  private static long size(HttpReply page) {
    return (long) page.content().length() + page.gzip().length;
  }

  private CompletableFuture<HttpReply> largePage(Exchange exchange) {
    if (exchange.path().equals("/status")) {
      return pages.cluster().get().thenApply(text -> HttpReply.text(HttpStatus.OK_200, text));
    }
    HttpFields headers = exchange.request().getHeaders();
    MetricsFormat format = ContentNegotiation.metricsFormat(headers);
    HttpReply page =
        new HttpReply(
            HttpStatus.OK_200,
            format.contentType(),
            Map.of(HttpHeader.VARY.asString(), ContentNegotiation.VARY_BY_FORMAT_AND_ENCODING),
            pages.metrics().apply(format).getBytes(StandardCharsets.UTF_8));
    return CompletableFuture.completedFuture(
        ContentNegotiation.acceptsGzip(headers) ? page.withGzip() : page);
  }

  private HttpReply errorPage(String path, Throwable thrown) {
    Throwable fault =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (fault instanceof TimeoutException) {
      observer.onLimitReached(HttpLimit.REQUEST_TIMEOUT);
      return HttpReply.text(
          HttpStatus.SERVICE_UNAVAILABLE_503,
          path + " was not ready within " + settings.requestTimeout().toMillis() + " ms\n");
    }
    if (fault instanceof RejectedExecutionException) {
      observer.onLimitReached(HttpLimit.PENDING_REQUESTS);
      return tooBusy();
    }
    LOG.error("Failed to handle an HTTP request; please report this bug path={}", path, fault);
    return HttpReply.text(
        HttpStatus.INTERNAL_SERVER_ERROR_500, "internal error; see the log: " + fault + "\n");
  }

  private static HttpReply tooBusy() {
    return HttpReply.text(
        HttpStatus.SERVICE_UNAVAILABLE_503, "too many requests in progress; retry later\n");
  }

  @Override
  public void close() {
    apiCalls.close();
    probes.close();
    largePages.close();
  }
}
