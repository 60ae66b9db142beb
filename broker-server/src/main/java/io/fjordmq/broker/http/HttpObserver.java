package io.fjordmq.broker.http;

/** Told when a limit of the HTTP port takes effect. Called on any thread; must not block. */
@FunctionalInterface
public interface HttpObserver {
  /** Ignores everything. */
  HttpObserver NONE = limit -> {};

  /** A client ran into this limit: its connection is closed, or its request is answered 503. */
  void limited(HttpLimit limit);
}
