package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/** A subscription of a connected client. */
public record LiveSubscription(TopicFilter filter, SubscriptionOptions options) {}
