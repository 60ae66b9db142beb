package io.fjordmq.api;

/**
 * An application message, as accepted from its publisher. Immutable: the payload array belongs to
 * it and is never written again, so it may be shared by any number of receivers and threads.
 *
 * @param topic where it was published
 * @param payload 0 to 268,435,455 bytes
 * @param qos as published; a receiver's copy is lowered to what its subscription accepts
 * @param retain the RETAIN flag as published
 * @param properties what MQTT 5 carries along
 * @param publisher client identifier of the publisher, for No Local; empty for messages of the
 *     broker itself
 * @param acceptedAtMillis wall clock of the node that accepted it, milliseconds since the epoch
 * @param expiresAtMillis wall clock after which it is no longer delivered (MQTT 5.0 §3.3.2.3.3);
 *     {@link #NEVER} if it does not expire
 */
@SuppressWarnings("ArrayRecordComponent") // identity is enough: nobody compares messages
public record Message(
    Topic topic,
    byte[] payload,
    Qos qos,
    boolean retain,
    MessageProperties properties,
    String publisher,
    long acceptedAtMillis,
    long expiresAtMillis) {

  /** {@link #expiresAtMillis} of a message that stays until delivered. */
  public static final long NEVER = Long.MAX_VALUE;

  /** True if it must not be delivered any more at this wall clock. */
  public boolean isExpiredAt(long nowMillis) {
    return expiresAtMillis <= nowMillis;
  }
}
