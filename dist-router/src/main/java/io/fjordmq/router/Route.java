package io.fjordmq.router;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/**
 * One subscription as the router sees it. Tenant, filter text and receiver identify it; adding it
 * again replaces the options.
 *
 * @param options for a live receiver that is not a share's member only maxQos matters (the node
 *     knows its clients')
 */
public record Route(
    String tenant, TopicFilter filter, Receiver receiver, SubscriptionOptions options) {}
