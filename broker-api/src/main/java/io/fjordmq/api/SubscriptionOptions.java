package io.fjordmq.api;

/**
 * The options of a subscription (MQTT 5.0 §3.8.3.1) and its Subscription Identifier (§3.8.2.1.2).
 *
 * @param maxQos maximum quality of service at which messages are delivered
 * @param noLocal if true, the client does not receive its own messages
 * @param retainAsPublished if true, messages keep the RETAIN flag that the publisher set
 * @param retainHandling when retained messages are sent for this subscription
 * @param identifier 1 to 268,435,455; 0 if the subscription has none
 * @since 0.1.0
 */
public record SubscriptionOptions(
    Qos maxQos,
    boolean noLocal,
    boolean retainAsPublished,
    RetainHandling retainHandling,
    int identifier) {

  /** Returns the options of an MQTT 3.1 or 3.1.1 subscription. */
  public static SubscriptionOptions ofQos(Qos maxQos) {
    return new SubscriptionOptions(maxQos, false, false, RetainHandling.SEND_ALWAYS, 0);
  }
}
