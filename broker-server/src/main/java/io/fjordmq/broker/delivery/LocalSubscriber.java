package io.fjordmq.broker.delivery;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A connected client with at least one subscription. What it is subscribed to is guarded by its own
 * monitor.
 */
final class LocalSubscriber {

  /** One subscription; compared by identity, so that an older one never removes a newer one. */
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
  private final LocalSubscriptions table;
  private final Map<String, Subscription> subscriptions = new HashMap<>(4);
  private boolean closed;

  /** Has taken deliveries it has not flushed; only touched on its event loop. */
  boolean unflushed;

  LocalSubscriber(LiveSession session, Mailbox mailbox, LocalSubscriptions table) {
    this.session = session;
    this.mailbox = mailbox;
    this.table = table;
  }

  LiveSession session() {
    return session;
  }

  Mailbox mailbox() {
    return mailbox;
  }

  /**
   * The session takes nothing any more. It says goodbye itself; but a subscription that was under
   * way when it did would stay for ever.
   */
  void ended() {
    table.removeAll(session);
  }

  /**
   * Adds or replaces; returns the one it replaces.
   *
   * @throws IllegalStateException if the connection has ended
   */
  synchronized @Nullable Subscription put(Subscription added) {
    if (closed) {
      throw new IllegalStateException("the connection of " + session.clientId() + " has ended");
    }
    return subscriptions.put(added.filter.text(), added);
  }

  /** Removes the subscription to this filter; false if there is none. */
  synchronized boolean remove(TopicFilter filter) {
    return subscriptions.remove(filter.text()) != null;
  }

  /** Removes exactly this one; false if it is not there any more. */
  synchronized boolean remove(Subscription exactly) {
    return subscriptions.remove(exactly.filter.text(), exactly);
  }

  /** True if the client has a subscription that reads like this, shares included. */
  synchronized boolean isSubscribedTo(TopicFilter filter) {
    return subscriptions.containsKey(filter.text());
  }

  /**
   * With which options it gets a message of the share live; null if it does not.
   *
   * @param share its filter as it stands in a SUBSCRIBE
   * @param routed the QoS that its route gives the message: that may be an earlier subscription's
   */
  @Nullable SubscriptionOptions liveOptionsOf(String share, Qos routed) {
    SubscriptionOptions options = optionsOf(share);
    if (options == null || !session.isPersistent() || options.maxQos() == Qos.AT_MOST_ONCE) {
      return options;
    }
    // All else goes through its inbox; until its routes say so it has what it had before.
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

  /** Ends it; returns what it was subscribed to. */
  synchronized List<TopicFilter> close() {
    closed = true;
    List<TopicFilter> left = subscriptions.values().stream().map(s -> s.filter).toList();
    subscriptions.clear();
    return left;
  }
}
