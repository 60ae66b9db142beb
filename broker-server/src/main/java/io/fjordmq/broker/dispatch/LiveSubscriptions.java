package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.concurrent.CompletableFuture;

/**
 * The subscriptions of this node's connected clients, and this node's routes for them. Thread-safe.
 */
public interface LiveSubscriptions {

  /**
   * Adds or replaces a subscription of a connected client. Completes when it is effective on every
   * node, with whether it is new. Persistent sessions subscribe here, too, for QoS 0 messages. If
   * the future fails, there is no subscription.
   */
  CompletableFuture<Boolean> subscribe(
      LiveSession session, TopicFilter filter, SubscriptionOptions options);

  /** Removes a subscription; completes with whether it existed. */
  CompletableFuture<Boolean> unsubscribe(LiveSession session, TopicFilter filter);

  /** Whether the client has a subscription to this filter. */
  boolean isSubscribed(LiveSession session, TopicFilter filter);

  /** Removes all subscriptions of a client that has disconnected; the last call for a session. */
  void removeAll(LiveSession session);
}
