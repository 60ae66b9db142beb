package io.fjordmq.broker.http;

import java.time.Duration;

/** Settings of servers under test: the defaults on any free port, with some limits lower. */
final class HttpSettingsOf {
  private HttpSettingsOf() {}

  static HttpSettings defaults() {
    return port(0);
  }

  static HttpSettings maxConnections(int max) {
    return limits(max, 16, 16L << 20, Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  static HttpSettings port(int port) {
    HttpSettings standard = HttpSettings.DEFAULTS;
    return new HttpSettings(
        standard.host(),
        port,
        standard.maxConnections(),
        standard.maxPendingRequests(),
        standard.maxPendingResponseBytes(),
        standard.maxHeaderBytes(),
        standard.maxBodyBytes(),
        standard.idleTimeout(),
        standard.requestTimeout(),
        standard.writeTimeout());
  }

  static HttpSettings limits(
      int connections,
      int pendingRequests,
      long pendingBytes,
      Duration requestTimeout,
      Duration writeTimeout) {
    return new HttpSettings(
        "127.0.0.1",
        0,
        connections,
        pendingRequests,
        pendingBytes,
        8 << 10,
        64 << 10,
        Duration.ofSeconds(30),
        requestTimeout,
        writeTimeout);
  }
}
