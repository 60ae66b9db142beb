package io.fjordmq.broker.dispatch;

/**
 * Receives events of local dispatch, for metrics. Methods are called on many threads and must not
 * block.
 */
public interface DispatchObserver {
  /** Ignores all events. */
  DispatchObserver NONE = new DispatchObserver() {};

  /** Copies were handed to live sessions. */
  default void onDelivered(long copies) {}

  /**
   * Copies were dropped.
   *
   * @param reason the metric label of a {@link CopyDropReason}
   */
  default void onDropped(String reason, long copies) {}

  /** A route could not be added or removed. */
  default void onRouteFailed() {}

  /** The state of a QoS 2 publisher was evicted because too many were remembered. */
  default void onPublisherEvicted() {}
}
