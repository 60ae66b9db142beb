package io.fjordmq.inbox;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/** A subscription of a persistent session. */
public record InboxSubscription(TopicFilter filter, SubscriptionOptions options) {}
