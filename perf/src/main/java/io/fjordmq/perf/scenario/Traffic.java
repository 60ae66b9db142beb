package io.fjordmq.perf.scenario;

/**
 * What each publisher sends.
 *
 * @param perSecond messages of each publisher; 0 if there are no messages
 * @param payloadBytes of each message
 * @param qos 0 to 2, also of subscriptions
 * @param qosPercent percentage of messages with that QoS, evenly spread: 100 or a divisor of it;
 *     the others have QoS 0
 * @param batchMillis publishes that are due within this time are sent together; 0 for the tool's
 *     usual 0.5 ms
 */
public record Traffic(
    double perSecond, int payloadBytes, int qos, int qosPercent, int batchMillis) {
  /** With the default batching. */
  public Traffic(double perSecond, int payloadBytes, int qos, int qosPercent) {
    this(perSecond, payloadBytes, qos, qosPercent, 0);
  }

  /** One in this many messages is acknowledged by the broker; 0 for none. */
  public int acknowledgedEvery() {
    return qos == 0 ? 0 : 100 / qosPercent;
  }
}
