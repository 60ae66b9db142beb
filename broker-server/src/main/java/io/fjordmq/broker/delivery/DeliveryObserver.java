package io.fjordmq.broker.delivery;

import io.fjordmq.broker.dispatch.DispatchObserver;

/** Receives events of delivery, for metrics. Called on any thread, often; must not block. */
public interface DeliveryObserver extends DispatchObserver {

  /** Ignores all events. */
  DeliveryObserver NONE = new DeliveryObserver() {};

  /** Copies were handed to inboxes. */
  default void onStored(long copies) {}

  /** The outcome of a PUBLISH is known. */
  default void onPublished(PublishOutcome outcome) {}

  /** An acknowledgement was delayed until a receiving event loop has caught up. */
  default void onAcknowledgementDelayed() {}

  /** Unacknowledged messages of shares were given to other members. */
  default void onRedistributed(long messages) {}
}
