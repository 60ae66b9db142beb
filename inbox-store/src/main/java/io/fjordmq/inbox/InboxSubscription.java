package io.fjordmq.inbox;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/** A subscription of a persistent session. */
public record InboxSubscription(TopicFilter filter, SubscriptionOptions options) {
  /** More than it has beside its filter in an {@link Attachment} that travels between nodes. */
  public static final int BYTES_BESIDE_FILTER = 16;
}
