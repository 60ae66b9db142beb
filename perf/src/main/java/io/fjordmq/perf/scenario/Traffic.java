package io.fjordmq.perf.scenario;

/**
 * What each publisher sends.
 *
 * @param perSecond message rate of each publisher; 0 if there are no messages
 * @param payloadBytes payload size of each message
 * @param qos QoS of messages and subscriptions, 0 to 2
 * @param qosPercent percentage of messages with that QoS, evenly spread; 100 or a divisor of it.
 *     The other messages have QoS 0
 * @param batchMillis publishes that are due within this time are sent together; 0 for the tool's
 *     usual 0.5 ms
 */
public record Traffic(
    double perSecond, int payloadBytes, int qos, int qosPercent, int batchMillis) {
  /** Creates traffic with the default batching. */
  public Traffic(double perSecond, int payloadBytes, int qos, int qosPercent) {
    this(perSecond, payloadBytes, qos, qosPercent, 0);
  }

  /** Returns n if the broker acknowledges every n-th message; 0 if it acknowledges none. */
  public int acknowledgedEvery() {
    return qos == 0 ? 0 : 100 / qosPercent;
  }
}
