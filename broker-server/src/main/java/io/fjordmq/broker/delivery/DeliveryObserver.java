package io.fjordmq.broker.delivery;

/** Receives events of delivery, for metrics. Called on any thread, often; must not block. */
public interface DeliveryObserver {

  /** Ignores all events. */
  DeliveryObserver NONE = new DeliveryObserver() {};

  /** Copies were handed to live sessions. */
  default void delivered(long copies) {}

  /** Copies were handed to inboxes. */
  default void stored(long copies) {}

  /**
   * Copies were dropped.
   *
   * @param reason the metric label of a {@link CopyDropReason}
   */
  default void dropped(String reason, long copies) {}

  /** A PUBLISH was answered. */
  default void published(PublishOutcome outcome) {}

  /** An answer was delayed until a receiving event loop has caught up. */
  default void slowed() {}

  /** A route could not be added or removed. */
  default void routeFailed() {}

  /** The state of a QoS 2 publisher was evicted because too many were remembered. */
  default void forgotPublisher() {}

  /** Unacknowledged messages of shares were given to other members. */
  default void redistributed(long messages) {}
}
