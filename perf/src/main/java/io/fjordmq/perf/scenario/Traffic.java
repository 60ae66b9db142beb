package io.fjordmq.perf.scenario;

/**
 * The messages that each publisher sends.
 *
 * @param perSecond message rate of each publisher; 0 if there are no messages
 * @param payloadBytes payload size of each message
 * @param qos QoS of messages and subscriptions, 0 to 2
 * @param qosPercent percentage of messages with that QoS, evenly spread; 100 or a divisor of it.
 *     The other messages have QoS 0
 * @param batchMillis time within which due messages are sent together; 0 for the default of 0.5 ms
 */
public record Traffic(
    double perSecond, int payloadBytes, int qos, int qosPercent, int batchMillis) {
  /** Creates traffic with the default batching. */
  public Traffic(double perSecond, int payloadBytes, int qos, int qosPercent) {
    this(perSecond, payloadBytes, qos, qosPercent, 0);
  }

  /** Returns n if every n-th message has a QoS above 0 and is acknowledged; 0 if none is. */
  public int acknowledgedEvery() {
    return qos == 0 ? 0 : 100 / qosPercent;
  }
}
