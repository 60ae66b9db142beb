package io.fjordmq.perf;

/**
 * Pairs of one publisher and one subscriber.
 *
 * @param name in reports
 * @param pairs number of pairs
 * @param ratePerSecond messages per second and publisher
 * @param payloadBytes at least {@link PairLoad#HEADER_BYTES}
 * @param qos of publishes and subscriptions, 0 or 1
 * @param persistent whether the subscribers' sessions outlive their connections
 * @param warmSeconds before the measured period
 * @param seconds measured
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
