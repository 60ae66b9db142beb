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
    Duration idleTimeout,
    Duration requestTimeout,
    Duration writeTimeout) {
  /** The defaults listen only on the loopback address, because the port has no authentication. */
  public static final HttpSettings DEFAULTS =
      new HttpSettings(
          "127.0.0.1",
          18_083,
          64,
          16,
          16L << 20,
          8 << 10,
          64 << 10,
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
    requireAtLeastOneSecond("idleTimeout", idleTimeout);
    requireAtLeastOneSecond("requestTimeout", requestTimeout);
    requireAtLeastOneSecond("writeTimeout", writeTimeout);
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
