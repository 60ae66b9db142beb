package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A live message as delivered to all sessions with the same subscription options. The sessions
 * share one instance, so that its bytes are encoded only once.
 */
public final class Delivery {
  /**
   * Holds the bytes in a final field, so that event loops can publish them to each other without a
   * lock.
   */
  @SuppressWarnings("ArrayRecordComponent") // a data carrier; never compared
  private record EncodedHead(byte[] bytes) {}

  private final Message message;
  private final Qos qos;
  private final boolean retain;
  private final List<Integer> subscriptionIdentifiers;
  private final @Nullable ShareKey share;
  private final boolean kept;
  // Accessed by several event loops without a lock; at worst, one of them encodes the bytes again.
  private @Nullable EncodedHead headOfMqtt3;
  private @Nullable EncodedHead headOfMqtt5;

  /**
   * @param message the message as published
   * @param qos the QoS to deliver with
   * @param retain the retain flag to deliver with
   * @param subscriptionIdentifiers the subscription identifiers to deliver with; may be empty
   * @param share the share to whose member the message is delivered; another member receives the
   *     message if this one does not acknowledge it; null for an ordinary subscription
   */
  public Delivery(
      Message message,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers,
      @Nullable ShareKey share) {
    this(message, qos, retain, subscriptionIdentifiers, share, false);
  }

  private Delivery(
      Message message,
      Qos qos,
      boolean retain,
      List<Integer> subscriptionIdentifiers,
      @Nullable ShareKey share,
      boolean kept) {
    this.message = message;
    this.qos = qos;
    this.retain = retain;
    this.subscriptionIdentifiers = List.copyOf(subscriptionIdentifiers);
    this.share = share;
    this.kept = kept;
  }

  /**
   * Creates a delivery to a share member that is subscribed with the given options.
   *
   * @param kept see {@link #isKept}
   */
  public static Delivery shared(
      Message message, SubscriptionOptions options, ShareKey share, boolean kept) {
    return new Delivery(
        message,
        message.qos().min(options.maxQos()),
        message.retain() && options.retainAsPublished(),
        options.identifier() == 0 ? List.of() : List.of(options.identifier()),
        share,
        kept);
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

  public @Nullable ShareKey share() {
    return share;
  }

  public boolean isShared() {
    return share != null;
  }

  /** Whether a store keeps the message until a share member has accepted it. */
  public boolean isKept() {
    return kept;
  }

  /**
   * The bytes cached by {@link #cacheEncodedHead} for this protocol version; null if there are none
   * yet.
   */
  public byte @Nullable [] encodedHead(boolean mqtt5) {
    EncodedHead cached = mqtt5 ? headOfMqtt5 : headOfMqtt3;
    return cached == null ? null : cached.bytes;
  }

  /**
   * Caches the first part of the encoded packet for the other sessions that receive this delivery.
   *
   * @param bytes the encoded bytes; must not be modified afterward
   */
  public void cacheEncodedHead(boolean mqtt5, byte[] bytes) {
    if (mqtt5) {
      headOfMqtt5 = new EncodedHead(bytes);
    } else {
      headOfMqtt3 = new EncodedHead(bytes);
    }
  }
}
