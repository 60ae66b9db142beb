package io.fjordmq.broker.delivery;

/** The answer of a connected session to a delivery. */
public enum DeliveryResult {
  /** The session has taken the message: it sent, queued, or dropped and counted it. */
  TAKEN,
  /** An access rule denies the message to this client; another share member may get it. */
  NOT_ALLOWED,
  /** The queue is full, so a {@link Delivery#isKept kept} message may go to another member. */
  NO_ROOM,
  /** The session has ended. */
  ENDED
}
