package io.fjordmq.broker.dispatch;

/** The result of passing a delivery to a connected session. */
public enum DeliveryResult {
  /** The session has accepted the message: it sent, queued, or dropped and counted it. */
  ACCEPTED,
  /** An access rule denies the message to this client; another share member may get it. */
  NOT_ALLOWED,
  /** The queue is full, so a {@link Delivery#isKept kept} message may go to another member. */
  NO_CAPACITY,
  /** The session has ended. */
  ENDED
}
