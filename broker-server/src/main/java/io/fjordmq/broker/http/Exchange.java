package io.fjordmq.broker.http;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request and its response. The response is written asynchronously, and the client is
 * disconnected if it does not receive the whole response in time. Exactly one response is sent.
 */
final class Exchange {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final HttpSettings settings;
  private final HttpObserver observer;
  private final SocketChannelEndPoint client;

  Exchange(
      Request request,
      Response response,
      Callback callback,
      HttpSettings settings,
      HttpObserver observer) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.settings = settings;
    this.observer = observer;
    this.client = socketOf(request);
  }

  /** The socket below all protocol layers. */
  private static SocketChannelEndPoint socketOf(Request request) {
    EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
    while (endPoint instanceof EndPoint.Wrapper wrapper) {
      endPoint = wrapper.unwrap();
    }
    return (SocketChannelEndPoint) endPoint;
  }

  Request request() {
    return request;
  }

  /** The path, decoded and without parameters. */
  String path() {
    return Request.getPathInContext(request);
  }

  Response response() {
    return response;
  }

  Callback callback() {
    return callback;
  }

  SocketChannelEndPoint client() {
    return client;
  }

  /** The IP address of the client; empty if it has already closed the connection. */
  Optional<InetAddress> clientAddress() {
    return Optional.ofNullable(client.getRemoteSocketAddress())
        .map(address -> ((InetSocketAddress) address).getAddress());
  }

  /** The address of the client as it was when the connection began. */
  InetSocketAddress clientSocketAddress() {
    return (InetSocketAddress) request.getConnectionMetaData().getRemoteSocketAddress();
  }

  /** Runs an action once the response has been sent or the connection has been closed. */
  void onCompletion(Runnable action) {
    Request.addCompletionListener(request, fault -> action.run());
  }

  /**
   * Sends the response once it is prepared.
   *
   * @param onFailure maps the failure of the future to a response
   */
  void sendWhenPrepared(
      CompletableFuture<HttpReply> prepared, Function<Throwable, HttpReply> onFailure) {
    // requestTimeout and writeTimeout apply instead of the idle timeout.
    request.addIdleTimeoutListener(idle -> false);
    prepared.whenComplete(
        (reply, thrown) -> send(thrown == null ? reply : onFailure.apply(thrown)));
  }

  /**
   * The response, or 304 if the client already has it (RFC 9110 §13.1.2). Tags are hashes, so one
   * that occurs anywhere in the header is in its list.
   */
  HttpReply unlessUnchanged(HttpReply reply) {
    String tag = reply.headers().get(HttpHeader.ETAG.asString());
    boolean unchanged =
        tag != null
            && request.getHeaders().getValuesList(HttpHeader.IF_NONE_MATCH).stream()
                .anyMatch(known -> known.contains(tag));
    return unchanged ? HttpReply.notModified(reply) : reply;
  }

  void send(HttpReply reply) {
    boolean compressed = reply.hasGzip() && ContentNegotiation.acceptsGzip(request.getHeaders());
    ReplyBody body = compressed ? ReplyBody.of(reply.gzip()) : reply.content();
    response.setStatus(reply.status());
    if (!reply.contentType().isEmpty()) {
      response.getHeaders().put(HttpHeader.CONTENT_TYPE, reply.contentType());
      response.getHeaders().put(HttpHeader.CONTENT_LENGTH, body.length());
    }
    if (compressed) {
      response.getHeaders().put(HttpHeader.CONTENT_ENCODING, ContentNegotiation.GZIP);
    }
    if (reply.hasGzip()) {
      response.getHeaders().put(HttpHeader.VARY, "Accept-Encoding");
    }
    reply.headers().forEach((name, value) -> response.getHeaders().put(name, value));
    Write write = new Write(body, callback);
    response.write(true, body.buffer(), write);
    write.limitTime();
  }

  /** The response on its way to the client. Most are written at once and need no timer. */
  private final class Write extends Callback.Nested {
    private final ReplyBody body;
    // Jetty reuses the request as soon as the write is complete.
    private final Scheduler timers = request.getComponents().getScheduler();
    private volatile boolean complete;
    private volatile Scheduler.@Nullable Task deadline;

    Write(ReplyBody body, Callback callback) {
      super(callback);
      this.body = body;
    }

    /** Starts the timer unless the write is complete. */
    void limitTime() {
      if (!complete) {
        deadline =
            timers.schedule(
                this::timedOut, settings.writeTimeout().toMillis(), TimeUnit.MILLISECONDS);
        if (complete) { // meanwhile
          cancelDeadline();
        }
      }
    }

    private void timedOut() {
      if (!complete) {
        writeTimedOut();
      }
    }

    @Override
    public void completed() {
      complete = true;
      cancelDeadline();
      body.onSent();
    }

    private void cancelDeadline() {
      Scheduler.Task started = deadline;
      if (started != null) {
        started.cancel();
      }
    }
  }

  private void writeTimedOut() {
    LOG.debug(
        "Disconnected an HTTP client that did not receive its response within"
            + " httpConfig.writeTimeout peer={}",
        client.getRemoteSocketAddress());
    observer.onLimitReached(HttpLimit.WRITE_TIMEOUT);
    client.close();
  }
}
