package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connected client with at least one subscription. Its subscriptions are guarded by its monitor.
 */
public final class LocalSubscriber {

  /**
   * A subscription. Compared by identity, so that removing an older subscription does not remove a
   * newer one to the same filter.
   */
  static final class Subscription {
    final TopicFilter filter;
    final SubscriptionOptions options;

    Subscription(TopicFilter filter, SubscriptionOptions options) {
      this.filter = filter;
      this.options = options;
    }
  }

  private final LiveSession session;
  private final Mailbox mailbox;
  private final LiveSubscriptions liveSubscriptions;
  private final Map<String, Subscription> subscriptions = new HashMap<>(4);
  private boolean closed;

  /** Whether the session has unflushed deliveries; only accessed on its event loop. */
  boolean unflushed;

  LocalSubscriber(LiveSession session, Mailbox mailbox, LiveSubscriptions table) {
    this.session = session;
    this.mailbox = mailbox;
    this.liveSubscriptions = table;
  }

  public LiveSession session() {
    return session;
  }

  public Mailbox mailbox() {
    return mailbox;
  }

  /**
   * Removes all subscriptions. The session also does this when it ends, but would miss a
   * subscription that is added concurrently.
   */
  void onEnded() {
    liveSubscriptions.removeAll(session);
  }

  /**
   * Adds or replaces a subscription; returns the replaced one.
   *
   * @throws IllegalStateException if the connection has ended
   */
  synchronized @Nullable Subscription put(Subscription added) {
    if (closed) {
      throw new IllegalStateException(
          "cannot subscribe: the connection has ended client=" + session.clientId());
    }
    return subscriptions.put(added.filter.text(), added);
  }

  /** Removes the subscription to this filter; returns false if there is none. */
  synchronized boolean remove(TopicFilter filter) {
    return subscriptions.remove(filter.text()) != null;
  }

  /** Removes exactly this subscription; returns false if it was replaced or removed. */
  synchronized boolean remove(Subscription expected) {
    return subscriptions.remove(expected.filter.text(), expected);
  }

  /** Whether the client has a subscription to exactly this filter, including the share prefix. */
  synchronized boolean isSubscribedTo(TopicFilter filter) {
    return subscriptions.containsKey(filter.text());
  }

  /** The subscriptions of the client, in no particular order. */
  synchronized List<LiveSubscription> all() {
    return subscriptions.values().stream()
        .map(subscription -> new LiveSubscription(subscription.filter, subscription.options))
        .toList();
  }

  /**
   * The options with which the client receives a live message of the share; null if it does not
   * receive such messages live.
   *
   * @param share the filter as it appears in the SUBSCRIBE packet
   * @param routed the QoS according to the client's route, which may belong to an earlier
   *     subscription
   */
  public @Nullable SubscriptionOptions liveOptionsOf(String share, Qos routed) {
    SubscriptionOptions options = optionsOf(share);
    if (options == null || !session.isPersistent() || options.maxQos() == Qos.AT_MOST_ONCE) {
      return options;
    }
    // Everything else goes through the inbox, once the client's routes are up to date.
    return routed == Qos.AT_MOST_ONCE ? atMostOnce(options) : null;
  }

  private synchronized @Nullable SubscriptionOptions optionsOf(String share) {
    Subscription present = subscriptions.get(share);
    return present == null ? null : present.options;
  }

  private static SubscriptionOptions atMostOnce(SubscriptionOptions options) {
    return new SubscriptionOptions(
        Qos.AT_MOST_ONCE,
        options.noLocal(),
        options.retainAsPublished(),
        options.retainHandling(),
        options.identifier());
  }

  /** Marks the client as disconnected; returns its subscriptions. */
  synchronized List<TopicFilter> close() {
    closed = true;
    List<TopicFilter> remaining = subscriptions.values().stream().map(s -> s.filter).toList();
    subscriptions.clear();
    return remaining;
  }
}
