package io.fjordmq.broker.dispatch;

/** The result of passing a delivery to a connected session. */
public enum DeliveryResult {
  /**
   * The session has accepted the message: it has sent or queued it, or dropped it and counted the
   * drop.
   */
  ACCEPTED,
  /** An access rule denies this client the message; another share member may receive it. */
  NOT_ALLOWED,
  /** The queue is full, so a {@link Delivery#isKept kept} message may go to another member. */
  NO_CAPACITY,
  /** The session has ended. */
  ENDED
}
