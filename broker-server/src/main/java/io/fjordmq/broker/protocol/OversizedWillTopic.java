package io.fjordmq.broker.protocol;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * Carries a will topic of more than 32,767 bytes from the framer to {@link ConnectReader} as a
 * channel attribute, because Netty's decoder skips such topics (MQTT-4.7.3-3 allows 65,535 bytes).
 * Only used on the event loop.
 */
public final class OversizedWillTopic {
  private static final AttributeKey<String> KEY =
      AttributeKey.valueOf(OversizedWillTopic.class, "topic");

  private OversizedWillTopic() {}

  /**
   * @param topic the topic; null if Netty's decoder can read it
   */
  public static void attach(Channel channel, @Nullable String topic) {
    if (topic != null) {
      channel.attr(KEY).set(topic);
    }
  }

  /** Removes and returns the attached topic; null if there is none. */
  public static @Nullable String take(Channel channel) {
    return channel.hasAttr(KEY) ? channel.attr(KEY).getAndSet(null) : null;
  }
}
