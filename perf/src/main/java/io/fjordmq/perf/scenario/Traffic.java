package io.fjordmq.perf.scenario;

/**
 * What each publisher sends.
 *
 * @param perSecond messages of each publisher; 0 if nobody publishes
 * @param payloadBytes of each message
 * @param qos 0 to 2; subscriptions have it, too
 * @param qosPercent how many of a hundred messages have that QoS, evenly spread: 100 or a divisor;
 *     the others are QoS 0
 */
public record Traffic(double perSecond, int payloadBytes, int qos, int qosPercent) {
  /** Every how many messages one is answered by the broker; 0 for never. */
  public int answeredEvery() {
    return qos == 0 ? 0 : 100 / qosPercent;
  }
}
