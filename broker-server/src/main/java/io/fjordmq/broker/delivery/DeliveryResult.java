package io.fjordmq.broker.delivery;

/** What a connected session answers to a message it is handed. */
public enum DeliveryResult {
  /** It has the message: sent, queued, or dropped and counted by the session itself. */
  TAKEN,
  /** The client may not read this message. Its subscriptions stay; another member may get it. */
  NOT_ALLOWED,
  /** It has no room for a {@link Delivery#isKept kept} message; another member may have some. */
  NO_ROOM,
  /** The session has ended and takes nothing any more. */
  ENDED
}
