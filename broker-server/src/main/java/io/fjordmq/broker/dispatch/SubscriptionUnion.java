package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import java.util.ArrayList;
import java.util.List;

/**
 * The combined options of overlapping subscriptions of one client. A server may deliver one copy or
 * one per subscription (MQTT 5.0 §3.3.4); we deliver one, with the highest QoS (MQTT-3.3.4-2), with
 * all their identifiers (MQTT-3.3.4-4).
 *
 * @param maxQos the highest QoS
 * @param retainAsPublished whether one of them requests it
 * @param identifiers the subscription identifiers, in order
 */
public record SubscriptionUnion(Qos maxQos, boolean retainAsPublished, List<Integer> identifiers) {

  public static SubscriptionUnion of(SubscriptionOptions single) {
    return new SubscriptionUnion(
        single.maxQos(),
        single.retainAsPublished(),
        single.identifier() == 0 ? List.of() : List.of(single.identifier()));
  }

  /**
   * @param overlapping at least one
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
