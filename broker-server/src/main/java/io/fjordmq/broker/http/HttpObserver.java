package io.fjordmq.broker.http;

/** Is notified when limits of the HTTP port take effect. Called on any thread; must not block. */
@FunctionalInterface
public interface HttpObserver {
  /** Ignores everything. */
  HttpObserver NONE = limit -> {};

  /** A limit took effect; a connection was closed or a request was rejected with 503. */
  void onLimitReached(HttpLimit limit);
}
