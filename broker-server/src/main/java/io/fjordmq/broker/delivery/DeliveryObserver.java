package io.fjordmq.broker.delivery;

/** Told what delivery does, for metrics. Called on any thread, often; must not block. */
public interface DeliveryObserver {

  /** Nobody listens. */
  DeliveryObserver NONE = new DeliveryObserver() {};

  /** Copies were handed to live sessions. */
  default void delivered(long copies) {}

  /** Copies were handed to inboxes. */
  default void stored(long copies) {}

  /**
   * Copies were dropped.
   *
   * @param reason a metric label: that of a {@link CopyDropReason}
   */
  default void dropped(String reason, long copies) {}

  /** A PUBLISH was answered. */
  default void published(PublishOutcome outcome) {}

  /** An answer waits until a receiving event loop has caught up. */
  default void slowed() {}

  /** A route could not be added or removed. */
  default void routeFailed() {}

  /** What a publisher may repeat was forgotten because too many were remembered. */
  default void forgotPublisher() {}

  /** Unacknowledged messages of shares were given to other members. */
  default void redistributed(long messages) {}
}
