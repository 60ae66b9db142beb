package io.fjordmq.broker.session;

import java.util.Locale;

/**
 * The reason why a message was dropped instead of delivered to a client, which is also a metric
 * label.
 */
public enum DropReason {
  /** The queue of a transient session had reached its limit of messages or bytes. */
  QUEUE_FULL,
  /**
   * The message had QoS 0 and the in-memory queue was full, because the client reads too slowly.
   */
  SLOW_CLIENT,
  /** The Message Expiry Interval had passed. */
  EXPIRED,
  /** The packet exceeded the client's Maximum Packet Size (MQTT 5.0 §3.1.2.11.4). */
  EXCEEDS_CLIENT_LIMIT,
  /** The message was still queued when the connection of a transient session ended. */
  CONNECTION_ENDED,
  /** The client acknowledged the message with an error code (MQTT 5.0 §4.4). */
  REFUSED_BY_CLIENT,
  /** The payload exceeded the limit, and the protocol cannot report that to the publisher. */
  PAYLOAD_TOO_LARGE,
  /** A QoS 0 message arrived while the node was overloaded. */
  OVERLOADED,
  /** A client published to {@code $SYS}, and the protocol cannot report the refusal. */
  RESERVED_TOPIC,
  /**
   * The publisher was not allowed to publish to the topic, or the receiver was not allowed to read
   * it.
   */
  NOT_AUTHORIZED,
  /**
   * Retained messages could not be read or queued when the client subscribed, or had not been sent
   * when its connection ended. This is counted once per subscription, because the number of
   * messages is unknown.
   */
  RETAINED_UNAVAILABLE,
  /** A retained message for a new subscription exceeded the size limit of the session's inbox. */
  LARGER_THAN_INBOX;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** The value of the metric label. */
  public String label() {
    return label;
  }
}
