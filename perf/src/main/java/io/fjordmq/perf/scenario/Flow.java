package io.fjordmq.perf.scenario;

/** Who gets whose messages. */
public enum Flow {
  /** Nobody sends any: clients connect at a steady rate and stay. */
  CONNECTIONS,
  /** One subscriber for each publisher, with a topic of their own. */
  PAIRS,
  /** All subscribers are members of one shared subscription to the topics of all publishers. */
  SHARED,
  /** Publishers and subscribers meet at topics: number n at topic n modulo the topics. */
  TOPICS,
  /** Every client publishes, and subscribes to what its partner publishes. */
  MUTUAL
}
