package io.fjordmq.broker.http;

import java.time.Duration;

/**
 * Settings of the HTTP port.
 *
 * @param host local address; empty for all
 * @param port 0 lets the system choose
 * @param maxConnections open connections; at the limit the longest idle one is closed
 * @param maxPendingRequests requests for /metrics and /status in progress; more get 503
 * @param maxPendingResponseBytes bytes of their responses that clients have not yet received
 * @param maxHeaderBytes request line and headers of a request; larger ones get 431
 * @param maxBodyBytes body of a request; larger ones get 413
 * @param idleTimeout idle time after which a connection is closed
 * @param requestTimeout time to prepare a response, after which the client gets 503
 * @param writeTimeout time for a client to receive a response, after which it is disconnected
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
  /** Listens on the loopback address only, because the port has no authentication. */
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
   * @throws IllegalArgumentException if a value is invalid; the message begins with its name
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
