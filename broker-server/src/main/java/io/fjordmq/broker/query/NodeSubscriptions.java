package io.fjordmq.broker.query;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.LiveSubscription;
import io.fjordmq.inbox.InboxId;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one node's connected clients. Thread-safe; does not block. Futures fail if
 * the node cannot be reached.
 */
interface NodeSubscriptions {
  /** The response to a change if the client is not connected to the node. */
  int NOT_CONNECTED = -1;

  /**
   * Lists the subscriptions of connected clients whose session ends with the connection, in order.
   * The inbox store has those of persistent sessions. The work per call is bounded, as for {@link
   * NodeClients#list}.
   *
   * @param tenant null for all tenants
   * @param max 1 to {@link PagedMerge#MAX_PAGE}
   */
  CompletableFuture<Subscriptions> listTransient(
      SubscriptionPosition from, @Nullable String tenant, int max);

  /**
   * Lists the subscriptions to exactly one topic filter, like {@link #listTransient}. The work
   * depends on the number of subscribers of the filter on the node.
   *
   * @param tenant null for all tenants
   * @param max 1 to {@link PagedMerge#MAX_PAGE}
   */
  CompletableFuture<Subscriptions> listSubscribers(
      SubscriptionPosition from, @Nullable String tenant, TopicFilter filter, int max);

  /**
   * A page of subscriptions.
   *
   * @param next where the next page starts; {@link SubscriptionPosition#END} if this is the last
   */
  record Subscriptions(List<Entry> entries, SubscriptionPosition next) {
    /** A subscription of a client. */
    record Entry(InboxId id, LiveSubscription subscription) {}
  }

  /** Returns all subscriptions of a client in order; empty if it is not connected to the node. */
  CompletableFuture<Optional<List<LiveSubscription>>> ofClient(InboxId id);

  /**
   * Subscribes a client. Completes with the granted QoS, a reason code of 0x80 or higher, or {@link
   * #NOT_CONNECTED}.
   */
  CompletableFuture<Integer> subscribe(InboxId id, TopicFilter filter, SubscriptionOptions options);

  /**
   * Removes a subscription. Completes with 0, with 0x11 if there is none, with a reason code of
   * 0x80 or higher, or with {@link #NOT_CONNECTED}.
   */
  CompletableFuture<Integer> unsubscribe(InboxId id, TopicFilter filter);
}
