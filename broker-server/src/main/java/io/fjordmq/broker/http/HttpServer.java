package io.fjordmq.broker.http;

import io.fjordmq.broker.net.CertificateStatus;
import java.io.IOException;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.ArrayByteBufferPool;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.server.handler.SizeLimitHandler;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.util.thread.ScheduledExecutorScheduler;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The HTTP server for metrics, health checks and the REST API: {@code GET /metrics} (Prometheus),
 * {@code /livez} (200 while the process responds), {@code /readyz} (200, or 503 with the reasons),
 * {@code /status} (human-readable state of the cluster's nodes and ranges), the web page at {@code
 * /}, MQTT over WebSocket for the page at {@code /mqtt}, and the paths of {@link Api}. It shares no
 * threads with MQTT, so that it responds under any load.
 *
 * <p>Jetty handles pipelined requests on a connection in order, so a client that does not read its
 * responses occupies the memory of at most one.
 */
public final class HttpServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(HttpServer.class);
  private static final int BACKLOG = 128;
  private static final int ACCEPTORS = 1;
  private static final int SELECTORS = 1;

  /** The maximum number of acceptor, selector and request threads. They never block. */
  private static final int MAX_THREADS = 6;

  private static final int MIN_THREADS = 1;
  private static final int RESPONSE_HEADER_BYTES = 2 << 10;
  private static final int MAX_POOLED_BYTES = 64 << 10;
  private static final long POOLED_BYTES = 4 << 20;

  private final Server server;
  private final ServerConnector connector;
  private final PageHandler handler;
  private final @Nullable HttpTls tls;

  private HttpServer(
      HttpSettings settings,
      Pages pages,
      Api api,
      MqttClients mqtt,
      HttpObserver observer,
      @Nullable HttpTls tls) {
    this.tls = tls;
    QueuedThreadPool threads =
        new QueuedThreadPool(
            MAX_THREADS, MIN_THREADS, Math.toIntExact(TimeUnit.SECONDS.toMillis(60)));
    threads.setName("http");
    threads.setReservedThreads(0); // reserved threads are for blocking handlers
    this.server =
        new Server(
            threads,
            new ScheduledExecutorScheduler("http-timer", true),
            new ArrayByteBufferPool(
                0, -1, MAX_POOLED_BYTES, Integer.MAX_VALUE, POOLED_BYTES, POOLED_BYTES));
    this.connector = connector(server, settings, observer, tls);
    this.handler = new PageHandler(pages, api, mqtt, settings, observer);
    server.addConnector(connector);
    server.setErrorHandler(new ErrorPages(api));
    SizeLimitHandler bodies = new SizeLimitHandler(settings.maxBodyBytes(), -1);
    bodies.setHandler(handler);
    server.setHandler(bodies);
  }

  private static ServerConnector connector(
      Server server, HttpSettings settings, HttpObserver observer, @Nullable HttpTls tls) {
    HttpConnectionFactory http = new HttpConnectionFactory(configuration(settings));
    ConnectionFactory[] layers =
        tls == null
            ? new ConnectionFactory[] {http}
            : new ConnectionFactory[] {
              new SslConnectionFactory(tls.context(), http.getProtocol()), http
            };
    ServerConnector connector =
        new ServerConnector(server, null, null, null, ACCEPTORS, SELECTORS, layers);
    connector.setHost(settings.host().isEmpty() ? null : settings.host());
    connector.setPort(settings.port());
    connector.setAcceptQueueSize(BACKLOG);
    connector.setIdleTimeout(settings.idleTimeout().toMillis());
    connector.addBean(new ConnectionLimit(settings.maxConnections(), observer));
    return connector;
  }

  /** Buffers are allocated on the heap to leave direct memory to MQTT. */
  private static HttpConfiguration configuration(HttpSettings settings) {
    HttpConfiguration http = new HttpConfiguration();
    http.setSendServerVersion(false);
    http.setUriCompliance(UriCompliance.UNSAFE); // client identifiers may contain any character
    http.setRequestHeaderSize(settings.maxHeaderBytes());
    http.setResponseHeaderSize(RESPONSE_HEADER_BYTES);
    http.setUseInputDirectByteBuffers(false);
    http.setUseOutputDirectByteBuffers(false);
    http.addCustomizer(new SecureRequestCustomizer(false)); // no SNI check: probes use IP addresses
    return http;
  }

  /** Opens a port that serves no MQTT clients. */
  static HttpServer start(HttpSettings settings, Pages pages, Api api, HttpObserver observer)
      throws IOException {
    return start(settings, pages, api, MqttClients.NONE, observer);
  }

  /**
   * Opens the port.
   *
   * @param api handles the requests to the API
   * @param mqtt serves the MQTT clients of callers of the API
   * @throws IOException if the port cannot be opened or the certificate cannot be read; the message
   *     names the keys to change
   */
  public static HttpServer start(
      HttpSettings settings, Pages pages, Api api, MqttClients mqtt, HttpObserver observer)
      throws IOException {
    @Nullable HttpTls tls = settings.isTls() ? openTls(settings, observer) : null;
    HttpServer http = new HttpServer(settings, pages, api, mqtt, observer, tls);
    String host = settings.host().isEmpty() ? "0.0.0.0" : settings.host();
    try {
      http.connector.open(); // open the port before any thread starts
      http.server.start();
      if (tls != null) {
        tls.watch();
      }
    } catch (IOException e) {
      http.close();
      throw cannotListen(host, settings.port(), e);
    } catch (Exception e) { // declared by Jetty
      http.close();
      throw new IOException("cannot start the HTTP server: " + e, e);
    }
    LOG.info(
        "Listening for {} requests: / /metrics /livez /readyz /status /api/v5 /api-docs host={}"
            + " port={}",
        tls == null ? "HTTP" : "HTTPS",
        host,
        http.port());
    return http;
  }

  private static HttpTls openTls(HttpSettings settings, HttpObserver observer) throws IOException {
    try {
      return new HttpTls(settings, InstantSource.system(), observer);
    } catch (IllegalStateException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static IOException cannotListen(String host, int port, IOException cause) {
    Throwable reason = cause.getCause() == null ? cause : cause.getCause();
    return new IOException(
        "cannot listen on "
            + host
            + ":"
            + port
            + ": "
            + reason.getMessage()
            + "; change httpConfig.host or httpConfig.port, or stop the process that uses the port",
        cause);
  }

  /** The bound port. */
  public int port() {
    return connector.getLocalPort();
  }

  /** The certificate of the port; empty without TLS. */
  public Optional<CertificateStatus> certificate() {
    return Optional.ofNullable(tls).map(HttpTls::certificate);
  }

  @Override
  public void close() {
    try {
      server.stop();
    } catch (Exception e) { // declared by Jetty
      LOG.warn("Failed to stop the HTTP server; continuing shutdown", e);
    }
    connector.close();
    handler.close();
    if (tls != null) {
      tls.close();
    }
  }
}
