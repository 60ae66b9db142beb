package io.fjordmq.api;

import java.util.Arrays;

/**
 * An application message as accepted from its publisher. Immutable: the message owns the payload
 * array, which is never modified, so receivers and threads can share it.
 *
 * @param topic the topic that the message was published to
 * @param payload 0 to 268,435,455 bytes
 * @param qos as published; delivery to a subscriber lowers it to the subscription's maximum
 * @param retain the RETAIN flag as published
 * @param properties MQTT 5 properties that are forwarded to receivers
 * @param publisher client identifier of the publisher, for No Local; empty for messages from the
 *     broker itself
 * @param acceptedAtMillis when a node accepted the message, by that node's wall clock, in
 *     milliseconds since the Unix epoch
 * @param expiresAtMillis wall-clock time from which the message is no longer delivered, in the same
 *     unit (MQTT 5.0 §3.3.2.3.3); {@link #NEVER} if it does not expire
 * @since 0.1.0
 */
@SuppressWarnings("ArrayRecordComponent") // messages are never compared by value
public record Message(
    Topic topic,
    byte[] payload,
    Qos qos,
    boolean retain,
    MessageProperties properties,
    String publisher,
    long acceptedAtMillis,
    long expiresAtMillis) {

  /** Value of {@link #expiresAtMillis} for a message that never expires. */
  public static final long NEVER = Long.MAX_VALUE;

  /** Returns true if the message must not be delivered at this wall-clock time. */
  public boolean isExpiredAt(long nowMillis) {
    return expiresAtMillis <= nowMillis;
  }

  /** Returns the message with at most this many bytes of its payload, to show it to an operator. */
  public Message withPayloadUpTo(int maxBytes) {
    return payload.length <= maxBytes
        ? this
        : new Message(
            topic,
            Arrays.copyOf(payload, maxBytes),
            qos,
            retain,
            properties,
            publisher,
            acceptedAtMillis,
            expiresAtMillis);
  }
}
