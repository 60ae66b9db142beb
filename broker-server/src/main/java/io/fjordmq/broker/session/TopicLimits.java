package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.netty.buffer.ByteBufUtil;
import org.jspecify.annotations.Nullable;

/** How long and how deep the topics and filters of a client may be. */
record TopicLimits(int maxBytes, int maxLevels) {

  TopicLimits(SessionSettings settings) {
    this(settings.maxTopicBytes(), settings.maxTopicLevels());
  }

  /**
   * @throws ProtocolViolation with the reason given if the text goes beyond a limit
   */
  void check(String text, CloseReason reason, int protocolLevel) {
    Limit reached = reachedBy(text);
    if (reached != null) {
      throw new ProtocolViolation(
          reason,
          "topic of more than " + maxBytes + " bytes or " + maxLevels + " levels",
          protocolLevel,
          reached);
    }
  }

  /** The limit that a topic or filter goes beyond; null if it goes beyond none. */
  @Nullable Limit reachedBy(String text) {
    // A char takes at most three bytes, so short texts need no counting.
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
