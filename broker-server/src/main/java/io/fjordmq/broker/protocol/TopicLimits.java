package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.SessionSettings;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/** Limits for the length and the number of levels of a client's topics and filters. */
public record TopicLimits(int maxBytes, int maxLevels) {

  public TopicLimits(SessionSettings settings) {
    this(settings.maxTopicBytes(), settings.maxTopicLevels());
  }

  /**
   * @throws ProtocolViolation with this reason if the text exceeds a limit
   */
  void check(String text, CloseReason reason, int protocolLevel) {
    Limit reached = limitExceededBy(text);
    if (reached != null) {
      throw new ProtocolViolation(
          reason,
          "topic too long: limits are " + maxBytes + " bytes and " + maxLevels + " levels",
          protocolLevel,
          reached);
    }
  }

  /** Returns the limit that a topic or filter exceeds; null if it exceeds none. */
  public @Nullable Limit limitExceededBy(String text) {
    // A char takes at most three bytes in UTF-8, so the bytes of short strings need not be counted.
    if (text.length() > maxBytes / 3 && ByteBufUtil.utf8Bytes(text) > maxBytes) {
      return Limit.TOPIC_BYTES;
    }
    int levels = 1;
    for (int i = text.indexOf('/'); i >= 0; i = text.indexOf('/', i + 1)) {
      levels++;
    }
    return levels <= maxLevels ? null : Limit.TOPIC_LEVELS;
  }
}
