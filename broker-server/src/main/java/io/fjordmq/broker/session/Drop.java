package io.fjordmq.broker.session;

import io.fjordmq.api.Topic;
import io.fjordmq.broker.limits.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Messages to a client that were dropped.
 *
 * @param topic the topic of the last message; null if it is not known
 * @param limit the limit that was reached; null for other reasons
 */
record Drop(DropReason reason, long count, @Nullable Topic topic, @Nullable Limit limit) {

  /** Drops one message. */
  static Drop of(DropReason reason, Topic topic) {
    return new Drop(reason, 1, topic, null);
  }

  /** Drops messages whose topics are not known. */
  static Drop unknown(DropReason reason, long count) {
    return new Drop(reason, count, null, null);
  }
}
