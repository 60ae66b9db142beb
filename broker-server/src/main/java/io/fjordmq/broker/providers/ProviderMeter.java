package io.fjordmq.broker.providers;

/** Receives the events of one provider, for metrics. Called on any thread. */
public interface ProviderMeter {
  /** Ignores all events. */
  ProviderMeter NONE = new ProviderMeter() {};

  /** A call has ended, this many nanoseconds after it was requested. */
  default void onCall(CallOutcome outcome, long nanos) {}

  /** A result was looked up in the cache. */
  default void onCacheLookup(boolean hit) {}

  /** The number of waiting calls has changed by {@code delta}. */
  default void addWaiting(int delta) {}

  /** The circuit breaker has opened or closed. */
  default void onBreaker(boolean open) {}
}
