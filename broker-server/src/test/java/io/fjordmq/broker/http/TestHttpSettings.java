package io.fjordmq.broker.http;

import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;

/** Settings of servers under test: the defaults on a free port, some with lower limits. */
final class TestHttpSettings {
  private TestHttpSettings() {}

  static HttpSettings defaults() {
    return port(0);
  }

  static HttpSettings maxConnections(int max) {
    return limits(max, 16, 16L << 20, Duration.ofSeconds(30), Duration.ofSeconds(30));
  }

  static HttpSettings port(int port) {
    return RecordBuilder.from(HttpSettings.DEFAULTS).with(HttpSettings::port, port).build();
  }

  static HttpSettings limits(
      int connections,
      int pendingRequests,
      long pendingBytes,
      Duration requestTimeout,
      Duration writeTimeout) {
    return RecordBuilder.from(HttpSettings.DEFAULTS)
        .with(HttpSettings::port, 0)
        .with(HttpSettings::maxConnections, connections)
        .with(HttpSettings::maxPendingRequests, pendingRequests)
        .with(HttpSettings::maxPendingResponseBytes, pendingBytes)
        .with(HttpSettings::requestTimeout, requestTimeout)
        .with(HttpSettings::writeTimeout, writeTimeout)
        .build();
  }
}
