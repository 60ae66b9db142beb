package io.fjordmq.perf.scenario;

/**
 * What each publisher sends.
 *
 * @param perSecond messages of each publisher; 0 if nobody publishes
 * @param payloadBytes of each message
 * @param qos1Percent how many of a hundred messages are QoS 1, evenly spread: 0, 100 or a divisor
 *     of 100; the others are QoS 0. Subscriptions are QoS 1 unless it is 0
 */
public record Traffic(double perSecond, int payloadBytes, int qos1Percent) {
  /** Every how many messages one is QoS 1; 0 for never. */
  public int qos1Every() {
    return qos1Percent == 0 ? 0 : 100 / qos1Percent;
  }

  public int subscribedQos() {
    return qos1Percent == 0 ? 0 : 1;
  }
}
