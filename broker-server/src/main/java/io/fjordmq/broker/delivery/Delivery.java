package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import java.util.List;

/**
 * One live message for one or many sessions that want it in the same form; shared between them, so
 * that its bytes are encoded once.
 */
public final class Delivery {
  private final Message message;
  private final Qos qos;
  private final boolean retain;
  private final List<Integer> subscriptionIdentifiers;
  private final boolean shared;

  /**
   * @param message as published
   * @param qos to deliver with
   * @param retain flag to deliver with
   * @param subscriptionIdentifiers to deliver with; may be empty
   * @param shared came through a shared subscription: unacknowledged, it goes to another member
   */
  public Delivery(
      Message message,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers,
      boolean shared) {
    this.message = message;
    this.qos = qos;
    this.retain = retain;
    this.subscriptionIdentifiers = List.copyOf(subscriptionIdentifiers);
    this.shared = shared;
  }

  public Message message() {
    return message;
  }

  public Qos qos() {
    return qos;
  }

  public boolean retain() {
    return retain;
  }

  public List<Integer> subscriptionIdentifiers() {
    return subscriptionIdentifiers;
  }

  public boolean isShared() {
    return shared;
  }
}
