package io.fjordmq.broker.http;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.http.HttpStatus;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Maps paths to pages. Runs on Jetty's threads and never blocks them: {@code /livez} is served
 * immediately, {@code /readyz} is prepared on a dedicated thread, and the large pages {@code
 * /metrics} and {@code /status} on another one.
 *
 * <p>Probes do not count as pending requests, so that other clients cannot block them. That is safe
 * because each connection has at most one probe in progress, with a small response.
 */
final class PageHandler extends Handler.Abstract.NonBlocking implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PageHandler.class);
  private static final String TEXT = "text/plain; charset=utf-8";
  private static final String PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
  private static final Set<String> PATHS = Set.of("/metrics", "/livez", "/readyz", "/status");
  private static final Set<String> METHODS = Set.of("GET", "HEAD");

  private final Pages pages;
  private final HttpSettings settings;
  private final HttpObserver observer;
  private final PendingResponses pending;
  private final PageThread probes;
  private final PageThread largePages;

  PageHandler(Pages pages, HttpSettings settings, HttpObserver observer) {
    this.pages = pages;
    this.settings = settings;
    this.observer = observer;
    this.pending = new PendingResponses(settings, observer);
    this.probes =
        new PageThread("http-probes", settings.maxConnections(), settings.requestTimeout());
    this.largePages =
        new PageThread("http-pages", settings.maxPendingRequests(), settings.requestTimeout());
  }

  private record Page(int status, String type, byte[] body) {
    static Page text(int status, String text) {
      return new Page(status, TEXT, text.getBytes(StandardCharsets.UTF_8));
    }
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) {
    String path = Request.getPathInContext(request);
    Exchange exchange = new Exchange(request, response, callback, path);
    if (!PATHS.contains(path)) {
      exchange.send(
          Page.text(
              HttpStatus.NOT_FOUND_404,
              "not found; available: /metrics, /livez, /readyz, /status\n"));
    } else if (!METHODS.contains(request.getMethod())) {
      response.getHeaders().put(HttpHeader.ALLOW, "GET, HEAD");
      exchange.send(
          Page.text(HttpStatus.METHOD_NOT_ALLOWED_405, "only GET and HEAD are allowed\n"));
    } else if (path.equals("/livez")) {
      exchange.send(Page.text(HttpStatus.OK_200, "alive\n"));
    } else if (path.equals("/readyz")) {
      exchange.sendWhenPrepared(probes.prepare(this::readiness));
    } else {
      exchange.sendLargePage();
    }
    return true;
  }

  private CompletableFuture<Page> readiness() {
    List<String> reasons = pages.notReadyReasons().get();
    return CompletableFuture.completedFuture(
        reasons.isEmpty()
            ? Page.text(HttpStatus.OK_200, "ready\n")
            : Page.text(HttpStatus.SERVICE_UNAVAILABLE_503, String.join("\n", reasons) + "\n"));
  }

  private CompletableFuture<Page> largePage(String path) {
    if (path.equals("/status")) {
      return pages.cluster().get().thenApply(text -> Page.text(HttpStatus.OK_200, text));
    }
    byte[] metrics = pages.metrics().get().getBytes(StandardCharsets.UTF_8);
    return CompletableFuture.completedFuture(new Page(HttpStatus.OK_200, PROMETHEUS, metrics));
  }

  private Page errorPage(String path, Throwable thrown) {
    Throwable fault =
        thrown instanceof CompletionException && thrown.getCause() != null
            ? thrown.getCause()
            : thrown;
    if (fault instanceof TimeoutException) {
      observer.onLimitReached(HttpLimit.REQUEST_TIMEOUT);
      return Page.text(
          HttpStatus.SERVICE_UNAVAILABLE_503,
          path + " was not ready within " + settings.requestTimeout().toMillis() + " ms\n");
    }
    if (fault instanceof RejectedExecutionException) {
      observer.onLimitReached(HttpLimit.PENDING_REQUESTS);
      return tooBusy();
    }
    LOG.error("Failed to handle an HTTP request path={}", path, fault);
    return Page.text(
        HttpStatus.INTERNAL_SERVER_ERROR_500, "internal error; see the log: " + fault + "\n");
  }

  private static Page tooBusy() {
    return Page.text(
        HttpStatus.SERVICE_UNAVAILABLE_503, "too many requests in progress; retry later\n");
  }

  /** One request and its response. */
  private final class Exchange {
    private final Request request;
    private final Response response;
    private final Callback callback;
    private final String path;
    private final SocketChannelEndPoint client;

    Exchange(Request request, Response response, Callback callback, String path) {
      this.request = request;
      this.response = response;
      this.callback = callback;
      this.path = path;
      this.client = socketOf(request);
    }

    void sendLargePage() {
      PendingResponses.@Nullable Slot slot = pending.admit(client);
      if (slot == null) {
        send(tooBusy());
        return;
      }
      Request.addCompletionListener(request, fault -> slot.release());
      sendWhenPrepared(
          largePages
              .prepare(() -> largePage(path))
              .thenApply(page -> slot.reserve(page.body().length) ? page : tooBusy()));
    }

    void sendWhenPrepared(CompletableFuture<Page> prepared) {
      // requestTimeout and writeTimeout apply instead of the idle timeout.
      request.addIdleTimeoutListener(idle -> false);
      prepared.whenComplete(
          (page, thrown) -> send(thrown == null ? page : errorPage(path, thrown)));
    }

    void send(Page page) {
      response.setStatus(page.status());
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, page.type());
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, page.body().length);
      Scheduler.Task deadline =
          request
              .getComponents()
              .getScheduler()
              .schedule(
                  this::writeTimedOut, settings.writeTimeout().toMillis(), TimeUnit.MILLISECONDS);
      Request.addCompletionListener(request, fault -> deadline.cancel());
      response.write(true, ByteBuffer.wrap(page.body()), callback);
    }

    private void writeTimedOut() {
      LOG.debug(
          "Disconnected an HTTP client that did not receive its response within"
              + " httpConfig.writeTimeout path={} client={}",
          path,
          client.getRemoteSocketAddress());
      observer.onLimitReached(HttpLimit.WRITE_TIMEOUT);
      client.close();
    }
  }

  /** The socket below all protocol layers. */
  private static SocketChannelEndPoint socketOf(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    return (SocketChannelEndPoint) endPoint;
  }

  @Override
  public void close() {
    probes.close();
    largePages.close();
  }
}
