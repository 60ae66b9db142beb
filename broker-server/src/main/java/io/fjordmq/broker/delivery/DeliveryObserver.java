package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.DispatchObserver;

/** Receives delivery events, for metrics. Called frequently and on any thread; must not block. */
public interface DeliveryObserver extends DispatchObserver {

  /** Ignores all events. */
  DeliveryObserver NONE = new DeliveryObserver() {};

  /** Copies of messages were stored in inboxes. */
  default void onStored(long copies) {}

  /** The outcome of a PUBLISH is known. */
  default void onPublished(PublishOutcome outcome) {}

  /** An acknowledgement was delayed until a receiving event loop catches up. */
  default void onAcknowledgementDelayed() {}

  /**
   * The retained messages for new subscriptions are read although retained messages are still being
   * stored.
   */
  default void onRetainedReadEarly(long subscriptions) {}

  /** Unacknowledged messages of shares were redistributed to other members. */
  default void onRedistributed(long messages) {}
}
