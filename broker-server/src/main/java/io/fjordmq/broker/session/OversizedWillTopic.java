package io.fjordmq.broker.session;

import io.netty.channel.Channel;
import io.netty.util.AttributeKey;
import org.jspecify.annotations.Nullable;

/**
 * A will topic of more than 32,767 bytes: netty's decoder skips those, so the framer reads them and
 * leaves them at the channel until the CONNECT is decoded (MQTT-4.7.3-3 allows 65,535). On the
 * channel's event loop.
 */
public final class OversizedWillTopic {
  private static final AttributeKey<String> KEY =
      AttributeKey.valueOf(OversizedWillTopic.class, "topic");

  private OversizedWillTopic() {}

  /**
   * @param topic null if netty's decoder reads it
   */
  public static void attach(Channel channel, @Nullable String topic) {
    if (topic != null) {
      channel.attr(KEY).set(topic);
    }
  }

  /** What was attached; null if nothing was. */
  static @Nullable String take(Channel channel) {
    return channel.hasAttr(KEY) ? channel.attr(KEY).getAndSet(null) : null;
  }
}
