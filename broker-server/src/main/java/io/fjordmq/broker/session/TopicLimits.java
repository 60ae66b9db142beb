package io.fjordmq.broker.session;

import io.netty.buffer.ByteBufUtil;

/** How long and how deep the topics and filters of a client may be. */
record TopicLimits(int maxBytes, int maxLevels) {

  TopicLimits(SessionSettings settings) {
    this(settings.maxTopicBytes(), settings.maxTopicLevels());
  }

  /**
   * @throws ProtocolViolation with the reason given if the text goes beyond a limit
   */
  void check(String text, CloseReason reason) {
    if (!isWithin(text)) {
      throw new ProtocolViolation(
          reason, "topic of more than " + maxBytes + " bytes or " + maxLevels + " levels");
    }
  }

  boolean isWithin(String text) {
    // A char takes at most three bytes, so short texts need no counting.
    if (text.length() > maxBytes / 3 && ByteBufUtil.utf8Bytes(text) > maxBytes) {
      return false;
    }
    int levels = 1;
    for (int i = text.indexOf('/'); i >= 0; i = text.indexOf('/', i + 1)) {
      levels++;
    }
    return levels <= maxLevels;
  }
}
