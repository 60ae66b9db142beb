package io.fjordmq.perf.scenario;

/** Which clients receive which messages. */
public enum Flow {
  /** No messages: clients connect at a steady rate and stay. */
  CONNECTIONS,
  /** One subscriber per publisher, each pair with its own topic. */
  PAIRS,
  /** All subscribers are members of one shared subscription to the topics of all publishers. */
  SHARED,
  /**
   * Publishers and subscribers share topics: publisher n and subscriber n use topic n modulo the
   * number of topics.
   */
  TOPICS,
  /** Every client publishes, and subscribes to the messages of its partner. */
  MUTUAL
}
