package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.concurrent.CompletableFuture;

/**
 * The subscriptions of this node's connected clients, and this node's routes for them. Thread-safe.
 */
public interface LiveSubscriptions {

  /**
   * Adds or replaces a subscription of a connected client. Completes when it works on every node,
   * with whether it was new. Persistent sessions subscribe here too, for messages of QoS 0. If it
   * fails, the subscription is not there.
   */
  CompletableFuture<Boolean> subscribe(
      LiveSession session, TopicFilter filter, SubscriptionOptions options);

  /** Removes one; completes with whether it was there. */
  CompletableFuture<Boolean> unsubscribe(LiveSession session, TopicFilter filter);

  /** True if the client has a subscription to this filter. */
  boolean isSubscribed(LiveSession session, TopicFilter filter);

  /** Removes all of a client whose connection has ended; the last call for a session. */
  void removeAll(LiveSession session);
}
