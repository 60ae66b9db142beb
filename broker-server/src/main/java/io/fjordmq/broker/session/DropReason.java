package io.fjordmq.broker.session;

import java.util.Locale;

/** Why a message did not reach a client that was to have it; the label of a metric. */
public enum DropReason {
  /** The queue of a transient session was full, in messages or in bytes. */
  QUEUE_FULL,
  /** The same, for a QoS 0 message of a client that reads too slowly. */
  SLOW_CLIENT,
  /** Its message expiry interval had passed. */
  EXPIRED,
  /** Larger than the Maximum Packet Size the client announced (MQTT 5.0 §3.1.2.11.4). */
  LARGER_THAN_CLIENT_TAKES,
  /** It was waiting in memory when the connection of a transient session ended. */
  CONNECTION_ENDED,
  /** The client answered with an error code (MQTT 5.0 §4.4). */
  REFUSED_BY_CLIENT,
  /** Published with a larger payload than is allowed, by a client that cannot be told. */
  PAYLOAD_TOO_LARGE,
  /** Of QoS 0, while the node had too much to do. */
  OVERLOADED,
  /** Published to {@code $SYS} by a client that cannot be told. */
  RESERVED_TOPIC,
  /** The publisher may not publish there, or the receiver may not read it. */
  NOT_AUTHORIZED,
  /**
   * Retained messages that could not be read or queued when the client subscribed, or had not come
   * when its connection ended; counted once for each subscription, as nobody knows how many.
   */
  RETAINED_UNAVAILABLE,
  /** A retained message for a new subscription, larger than all that the session's inbox takes. */
  LARGER_THAN_INBOX;

  private final String label = name().toLowerCase(Locale.ROOT);

  /** Value of the metric's label. */
  public String label() {
    return label;
  }
}
