package io.fjordmq.router;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/**
 * One subscription as the router sees it. Tenant, filter text and receiver identify it; adding it
 * again replaces the options.
 *
 * @param options for a live receiver that is not a share's member only maxQos matters (the node
 *     knows its clients'): 0 if it wants only what is published with QoS 0, since its clients get
 *     all else through their inboxes
 */
public record Route(
    String tenant, TopicFilter filter, Receiver receiver, SubscriptionOptions options) {

  /** Whether the receiver gets nothing of QoS 1 or 2 through it. */
  boolean isAtMostOnce() {
    return options.maxQos() == Qos.AT_MOST_ONCE;
  }
}
