package io.fjordmq.perf.check;

/** What publishers have sent, asked for when they have stopped. */
public interface Sent {
  /** How many messages. */
  int count(int publisher);

  /** Whether the broker has answered for the message; true of those that get no answer (QoS 0). */
  boolean isAnswered(int publisher, int number);
}
