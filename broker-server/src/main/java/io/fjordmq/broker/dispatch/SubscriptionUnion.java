package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The combined options of a client's overlapping subscriptions. A server may deliver one copy in
 * total or one per subscription (MQTT 5.0 §3.3.4). FjordMQ delivers one copy, with the highest QoS
 * of the subscriptions (MQTT-3.3.4-2) and all their identifiers (MQTT-3.3.4-4).
 *
 * @param maxQos the highest QoS
 * @param retainAsPublished whether any of the subscriptions requests Retain As Published
 * @param identifiers the subscription identifiers, in the order of the subscriptions
 */
public record SubscriptionUnion(Qos maxQos, boolean retainAsPublished, List<Integer> identifiers) {

  public static SubscriptionUnion of(SubscriptionOptions single) {
    return new SubscriptionUnion(
        single.maxQos(),
        single.retainAsPublished(),
        single.identifier() == 0 ? List.of() : List.of(single.identifier()));
  }

  /**
   * @param overlapping the options of the subscriptions; must not be empty
   */
  public static SubscriptionUnion of(List<SubscriptionOptions> overlapping) {
    if (overlapping.size() == 1) {
      return of(overlapping.get(0));
    }
    Qos maxQos = Qos.AT_MOST_ONCE;
    boolean retainAsPublished = false;
    List<Integer> identifiers = new ArrayList<>();
    for (SubscriptionOptions options : overlapping) {
      maxQos = maxQos.max(options.maxQos());
      retainAsPublished |= options.retainAsPublished();
      if (options.identifier() != 0) {
        identifiers.add(options.identifier());
      }
    }
    return new SubscriptionUnion(maxQos, retainAsPublished, List.copyOf(identifiers));
  }
}
