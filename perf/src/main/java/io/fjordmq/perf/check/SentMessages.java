package io.fjordmq.perf.check;

/**
 * The messages that publishers have sent. Its methods must be called after the publishers have
 * stopped.
 */
public interface SentMessages {
  /** Returns the number of messages. */
  int count(int publisher);

  /**
   * Returns whether the broker acknowledged the message; true for messages without acknowledgement
   * (QoS 0).
   */
  boolean isAcknowledged(int publisher, int number);
}
