package io.fjordmq.perf.check;

/** What publishers have sent; to be called after they have stopped. */
public interface SentMessages {
  /** The number of messages. */
  int count(int publisher);

  /**
   * Whether the broker acknowledged the message; true for messages without acknowledgement (QoS 0).
   */
  boolean isAcknowledged(int publisher, int number);
}
