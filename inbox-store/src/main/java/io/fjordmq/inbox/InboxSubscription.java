package io.fjordmq.inbox;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/** A subscription of a persistent session. */
public record InboxSubscription(TopicFilter filter, SubscriptionOptions options) {
  /** Upper bound of its encoded size in an {@link Attachment}, not counting the filter. */
  public static final int BYTES_BESIDE_FILTER = 16;
}
