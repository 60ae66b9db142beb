package io.fjordmq.api;

/**
 * The message that the broker publishes if the client's connection ends without a DISCONNECT (MQTT
 * 5.0 §3.1.2.5).
 *
 * @param message the message to publish; its acceptance and expiry times are set at publication
 * @param delaySeconds time from the end of the connection to the publication, unless the session
 *     ends earlier; 0 to publish immediately
 * @param messageExpirySeconds Message Expiry Interval, counted from the publication; {@link
 *     #NO_EXPIRY} if the message does not expire
 * @since 0.1.0
 */
public record Will(Message message, long delaySeconds, long messageExpirySeconds) {
  /** Value of {@link #messageExpirySeconds} for a will without Message Expiry Interval. */
  public static final long NO_EXPIRY = -1;

  /**
   * Returns the message to publish. The given wall-clock time becomes its acceptance time and the
   * start of its expiry interval.
   */
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
