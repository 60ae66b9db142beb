package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The subscriptions of this node's connected clients, and this node's routes for them. Thread-safe.
 */
public interface LiveSubscriptions {

  /**
   * Adds or replaces a subscription of a connected client. Persistent sessions call this as well,
   * to receive QoS 0 messages. The future completes once the subscription is effective on every
   * node; its value is true if the subscription is new. If the future fails, there is no
   * subscription.
   */
  CompletableFuture<Boolean> subscribe(
      LiveSession session, TopicFilter filter, SubscriptionOptions options);

  /** Removes a subscription. The future's value is true if the subscription existed. */
  CompletableFuture<Boolean> unsubscribe(LiveSession session, TopicFilter filter);

  /** Whether the client has a subscription to this filter. */
  boolean isSubscribed(LiveSession session, TopicFilter filter);

  /** Returns the subscriptions of a connected client, in no particular order. */
  List<LiveSubscription> subscriptionsOf(LiveSession session);

  /**
   * Removes all subscriptions of a client that has disconnected. This is the last call for a
   * session.
   */
  void removeAll(LiveSession session);
}
