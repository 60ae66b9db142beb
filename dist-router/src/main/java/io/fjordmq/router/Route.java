package io.fjordmq.router;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;

/**
 * A subscription as the router sees it. Tenant, filter text and receiver identify it; adding it
 * again replaces its options.
 *
 * @param options subscription options. For a live receiver that is not a share member, only maxQos
 *     matters, because the node knows the options of its clients. It is 0 if the node receives only
 *     messages published with QoS 0, because its clients receive all other messages through their
 *     inboxes
 */
public record Route(
    String tenant, TopicFilter filter, Receiver receiver, SubscriptionOptions options) {

  /** Returns whether the receiver gets no messages of QoS 1 or 2 through this route. */
  boolean isAtMostOnce() {
    return options.maxQos() == Qos.AT_MOST_ONCE;
  }
}
