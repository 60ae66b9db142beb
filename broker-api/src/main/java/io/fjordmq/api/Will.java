package io.fjordmq.api;

/**
 * The message the broker publishes for a client whose connection ends without a DISCONNECT (MQTT
 * 5.0 §3.1.2.5).
 *
 * @param message what is published; its accepted and expiry times are set when it is published
 * @param delaySeconds how long the session may be without a connection before it is published; 0 =
 *     at once
 * @param messageExpirySeconds lifetime of the message once published; {@link #NO_EXPIRY} if
 *     unlimited
 */
public record Will(Message message, long delaySeconds, long messageExpirySeconds) {
  /** {@link #messageExpirySeconds} of a will without Message Expiry Interval. */
  public static final long NO_EXPIRY = -1;

  /** The message to publish at this wall clock: accepted now, its lifetime begins now. */
  public Message messageAt(long nowMillis) {
    long expiresAtMillis =
        messageExpirySeconds == NO_EXPIRY
            ? Message.NEVER
            : nowMillis + messageExpirySeconds * 1_000;
    return new Message(
        message.topic(),
        message.payload(),
        message.qos(),
        message.retain(),
        message.properties(),
        message.publisher(),
        nowMillis,
        expiresAtMillis);
  }
}
