package io.fjordmq.perf;

/**
 * One publisher to one subscriber, many times over.
 *
 * @param name as reports show it
 * @param pairs publishers, and as many subscribers
 * @param ratePerSecond messages each publisher sends a second
 * @param payloadBytes at least {@link PairLoad#HEADER_BYTES}
 * @param qos of publishes and subscriptions, 0 or 1
 * @param persistent the subscribers' sessions outlive their connections
 * @param warmSeconds before counting
 * @param seconds counted
 */
record PairWork(
    String name,
    int pairs,
    int ratePerSecond,
    int payloadBytes,
    int qos,
    boolean persistent,
    int warmSeconds,
    int seconds) {
  PairWork {
    if (payloadBytes < PairLoad.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "payload must have at least " + PairLoad.HEADER_BYTES + " bytes");
    }
    if (pairs < 1 || ratePerSecond < 1 || seconds < 1 || qos < 0 || qos > 1) {
      throw new IllegalArgumentException("pairs, rate and seconds must be positive, QoS 0 or 1");
    }
  }
}
