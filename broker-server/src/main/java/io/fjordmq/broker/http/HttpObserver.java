package io.fjordmq.broker.http;

import java.time.Instant;

/**
 * Is notified of limits that take effect on the HTTP port, and of its certificates. Called on any
 * thread; must not block.
 */
@FunctionalInterface
public interface HttpObserver {
  /** Ignores everything. */
  HttpObserver NONE = limit -> {};

  /** A limit took effect; a connection was closed or a request was rejected with 503. */
  void onLimitReached(HttpLimit limit);

  /** The port uses a certificate that expires at the given time. */
  default void onCertificate(Instant expires) {}
}
