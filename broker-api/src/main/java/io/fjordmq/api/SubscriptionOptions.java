package io.fjordmq.api;

/**
 * What a client asks of a subscription (MQTT 5.0 §3.8.3.1, §3.8.2.1.2).
 *
 * @param maxQos highest quality of service it wants
 * @param noLocal its own publishes are not sent back to it
 * @param retainAsPublished the RETAIN flag is kept as the publisher set it
 * @param retainHandling when retained messages are sent at subscribe
 * @param identifier 1 to 268,435,455; 0 if the subscription has none
 */
public record SubscriptionOptions(
    Qos maxQos,
    boolean noLocal,
    boolean retainAsPublished,
    RetainHandling retainHandling,
    int identifier) {

  /** What MQTT 3.1 and 3.1.1 can say. */
  public static SubscriptionOptions ofQos(Qos maxQos) {
    return new SubscriptionOptions(maxQos, false, false, RetainHandling.SEND_ALWAYS, 0);
  }
}
