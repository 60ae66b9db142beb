package io.fjordmq.broker.http;

import java.time.Duration;

/**
 * Settings of the HTTP port.
 *
 * @param host local address to listen on; empty for all addresses
 * @param port port to listen on; 0 for any free port
 * @param maxConnections maximum number of open connections; at the limit, the longest idle
 *     connection is closed
 * @param maxPendingRequests maximum number of requests for /metrics and /status in progress;
 *     further requests are rejected with 503
 * @param maxPendingResponseBytes maximum number of response bytes that clients have not received
 *     yet
 * @param maxHeaderBytes maximum size of the request line and headers; larger requests are rejected
 *     with 431
 * @param maxBodyBytes maximum size of a request body; larger requests are rejected with 413
 * @param apiThreads number of threads that handle requests to the API
 * @param maxPendingApiRequests maximum number of requests to the API in progress; further requests
 *     are rejected with 503
 * @param maxPendingRequestBytes maximum memory of the requests to the API in progress, estimated
 *     from their bodies and from the number of rows and bytes that they read; further requests are
 *     rejected with 503
 * @param anonymousMetrics who may read /metrics and /status without credentials
 * @param certFile the certificate, followed by its issuing certificates, in PEM format; empty for
 *     HTTP without TLS
 * @param keyFile the private key of the certificate in PEM format
 * @param keyPasswordFile file whose first line is the password of the key; empty if the key is not
 *     encrypted
 * @param reloadInterval interval between checks for changed certificate files
 * @param idleTimeout time after which an idle connection is closed
 * @param requestTimeout time limit for preparing a response, after which the request is rejected
 *     with 503
 * @param writeTimeout time limit for a client to receive a response, after which the client is
 *     disconnected
 */
public record HttpSettings(
    String host,
    int port,
    int maxConnections,
    int maxPendingRequests,
    long maxPendingResponseBytes,
    int maxHeaderBytes,
    int maxBodyBytes,
    int apiThreads,
    int maxPendingApiRequests,
    long maxPendingRequestBytes,
    AnonymousMetrics anonymousMetrics,
    String certFile,
    String keyFile,
    String keyPasswordFile,
    Duration reloadInterval,
    Duration idleTimeout,
    Duration requestTimeout,
    Duration writeTimeout) {
  /** Clients that may read /metrics and /status without credentials. */
  public enum AnonymousMetrics {
    /** Clients on this host, which connect from a loopback address. */
    LOOPBACK,
    /** Everyone who can reach the port. */
    ALL,
    /** Nobody. */
    NONE
  }

  /** The defaults listen only on the loopback address, because they have no TLS. */
  public static final HttpSettings DEFAULTS =
      new HttpSettings(
          "127.0.0.1",
          18_083,
          64,
          16,
          16L << 20,
          8 << 10,
          1 << 20,
          4,
          32,
          64L << 20,
          AnonymousMetrics.LOOPBACK,
          "",
          "",
          "",
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30));

  /**
   * @throws IllegalArgumentException if a value is invalid; the message begins with the name of the
   *     setting
   */
  public HttpSettings {
    require(port >= 0 && port <= 65_535, "port must be between 0 and 65535, not " + port);
    requireAtLeast("maxConnections", maxConnections, 1);
    requireAtLeast("maxPendingRequests", maxPendingRequests, 1);
    requireAtLeast("maxPendingResponseBytes", maxPendingResponseBytes, 64 << 10);
    requireAtLeast("maxHeaderBytes", maxHeaderBytes, 512);
    requireAtLeast("maxBodyBytes", maxBodyBytes, 0);
    requireAtLeast("apiThreads", apiThreads, 1);
    requireAtLeast("maxPendingApiRequests", maxPendingApiRequests, 1);
    requireAtLeast("maxPendingRequestBytes", maxPendingRequestBytes, 1 << 20);
    require(
        certFile.isEmpty() == keyFile.isEmpty(),
        "certFile and keyFile must both be set, or neither for HTTP without TLS");
    require(
        !certFile.isEmpty() || keyPasswordFile.isEmpty(),
        "keyPasswordFile has no effect without certFile and keyFile");
    require(
        reloadInterval.toMillis() >= 100,
        "reloadInterval must be at least 100 ms, not " + reloadInterval.toMillis() + " ms");
    requireAtLeastOneSecond("idleTimeout", idleTimeout);
    requireAtLeastOneSecond("requestTimeout", requestTimeout);
    requireAtLeastOneSecond("writeTimeout", writeTimeout);
  }

  /** Whether the port uses TLS. */
  public boolean isTls() {
    return !certFile.isEmpty();
  }

  private static void requireAtLeast(String name, long value, long min) {
    require(value >= min, name + " must be at least " + min + ", not " + value);
  }

  private static void requireAtLeastOneSecond(String name, Duration value) {
    require(
        value.toMillis() >= 1_000, name + " must be at least 1 s, not " + value.toMillis() + " ms");
  }

  private static void require(boolean valid, String fault) {
    if (!valid) {
      throw new IllegalArgumentException(fault);
    }
  }
}
