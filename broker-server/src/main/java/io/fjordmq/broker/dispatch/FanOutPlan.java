package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.dispatch.Recipients.Publishers;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The receivers of a message on this node, grouped by delivery options and event loop. A message
 * therefore needs only one {@link Delivery} per set of options and one entry per event loop.
 * Immutable.
 */
public final class FanOutPlan {
  static final FanOutPlan EMPTY = new FanOutPlan(List.of(), 0);

  /**
   * The options with which a client receives a message.
   *
   * @param persistent whether messages with QoS 1 and 2 reach the client only through its inbox
   */
  private record DeliveryOptions(
      Qos maxQos,
      boolean retainAsPublished,
      boolean persistent,
      Publishers publishers,
      List<Integer> identifiers) {}

  private record Group(DeliveryOptions deliveryOptions, Recipients[] byLoop) {}

  private final Group[] groups;
  private final int size;

  private FanOutPlan(List<Group> groups, int size) {
    this.groups = groups.toArray(Group[]::new);
    this.size = size;
  }

  /** The number of clients; a client is counted once for each set of options. */
  public int size() {
    return size;
  }

  public void send(Message message, Outbox outbox) {
    Delivery last = null;
    for (Group group : groups) {
      DeliveryOptions deliveryOptions = group.deliveryOptions;
      Qos qos = message.qos().min(deliveryOptions.maxQos);
      if (deliveryOptions.persistent && qos != Qos.AT_MOST_ONCE) {
        continue;
      }
      boolean retain = deliveryOptions.retainAsPublished && message.retain();
      if (last == null || !sameOptions(last, qos, retain, deliveryOptions.identifiers)) {
        last = new Delivery(message, qos, retain, deliveryOptions.identifiers, null);
      }
      for (Recipients recipients : group.byLoop) {
        outbox.send(last, recipients);
      }
    }
  }

  private static boolean sameOptions(
      Delivery delivery, Qos qos, boolean retain, List<Integer> identifiers) {
    return delivery.qos() == qos
        && delivery.retain() == retain
        && delivery.subscriptionIdentifiers().equals(identifiers);
  }

  /** Groups subscribers. Not thread-safe; used once. */
  static final class Builder {
    private final Map<DeliveryOptions, Map<Mailbox, List<LocalSubscriber>>> groups =
        new LinkedHashMap<>();
    private int size;

    /** Adds a client with one matching subscription. */
    void add(LocalSubscriber localSubscriber, SubscriptionOptions options) {
      add(
          localSubscriber,
          List.of(options),
          options.noLocal() ? Publishers.OTHERS : Publishers.ANY);
    }

    /**
     * Adds a client with overlapping subscriptions. The client receives one copy with the highest
     * QoS of the subscriptions, all their identifiers, and the RETAIN flag if any of them requests
     * it (MQTT-3.3.4-2 to -4). Subscriptions with No Local are ignored for the client's own
     * messages.
     *
     * @param overlapping the client's overlapping subscriptions, sorted by filter
     */
    void add(LocalSubscriber localSubscriber, List<SubscriptionOptions> overlapping) {
      if (overlapping.size() == 1) {
        add(localSubscriber, overlapping.get(0));
        return;
      }
      List<SubscriptionOptions> own = overlapping.stream().filter(o -> !o.noLocal()).toList();
      if (own.size() == overlapping.size()) {
        add(localSubscriber, overlapping, Publishers.ANY);
        return;
      }
      add(localSubscriber, overlapping, Publishers.OTHERS);
      if (!own.isEmpty()) {
        add(localSubscriber, own, Publishers.THEMSELVES);
      }
    }

    private void add(
        LocalSubscriber localSubscriber, List<SubscriptionOptions> merged, Publishers publishers) {
      SubscriptionUnion union = SubscriptionUnion.of(merged);
      DeliveryOptions deliveryOptions =
          new DeliveryOptions(
              union.maxQos(),
              union.retainAsPublished(),
              localSubscriber.session().isPersistent(),
              publishers,
              union.identifiers());
      groups
          .computeIfAbsent(deliveryOptions, f -> new LinkedHashMap<>(4))
          .computeIfAbsent(localSubscriber.mailbox(), m -> new ArrayList<>())
          .add(localSubscriber);
      size++;
    }

    FanOutPlan build() {
      if (groups.isEmpty()) {
        return EMPTY;
      }
      List<Group> built = new ArrayList<>(groups.size());
      groups.forEach(
          (deliveryOptions, byLoop) ->
              built.add(
                  new Group(
                      deliveryOptions,
                      byLoop.values().stream()
                          .map(members -> Recipients.of(members, deliveryOptions.publishers))
                          .toArray(Recipients[]::new))));
      return new FanOutPlan(built, size);
    }
  }
}
