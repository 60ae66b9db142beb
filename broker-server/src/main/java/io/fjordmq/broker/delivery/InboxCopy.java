package io.fjordmq.broker.delivery;

import io.fjordmq.api.Message;
import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.broker.dispatch.SubscriptionUnion;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxTarget;
import io.fjordmq.router.MatchedRoutes.InboxMatch;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The copy of a message for one inbox.
 *
 * @param routes the routes that lead to the inbox; stale if the inbox no longer exists
 * @param attempt the share attempt that chose the inbox; null for ordinary subscriptions
 */
record InboxCopy(InboxTarget target, List<Route> routes, @Nullable ShareAttempt attempt) {

  /** Creates the copy for an inbox; null if No Local excludes all of the inbox's subscriptions. */
  static @Nullable InboxCopy of(String tenant, InboxMatch match, Message message) {
    List<SubscriptionOptions> overlapping = optionsFor(match, message);
    if (overlapping.isEmpty()) {
      return null;
    }
    SubscriptionUnion union = SubscriptionUnion.of(overlapping);
    return new InboxCopy(target(tenant, match.inbox(), message, union, null), match.routes(), null);
  }

  /** Creates the copy for the inbox of the chosen share member. */
  static InboxCopy of(ShareAttempt attempt, Receiver.Inbox inbox, Route route) {
    SubscriptionUnion union = SubscriptionUnion.of(route.options());
    return new InboxCopy(
        target(attempt.key().tenant(), inbox, attempt.message(), union, attempt.key().text()),
        List.of(route),
        attempt);
  }

  /**
   * Whether the copy has QoS 0 and is therefore never stored; only a live session can receive it.
   */
  boolean isAtMostOnce() {
    return target.qos() == Qos.AT_MOST_ONCE;
  }

  private static InboxTarget target(
      String tenant,
      Receiver.Inbox inbox,
      Message message,
      SubscriptionUnion union,
      @Nullable String share) {
    return new InboxTarget(
        new InboxId(tenant, inbox.clientId()),
        inbox.incarnation(),
        message.qos().min(union.maxQos()),
        message.retain() && union.retainAsPublished(),
        union.identifiers(),
        share);
  }

  private static List<SubscriptionOptions> optionsFor(InboxMatch match, Message message) {
    boolean isOwnMessage = match.inbox().clientId().equals(message.publisher());
    List<Route> routes = match.routes();
    if (routes.size() == 1) {
      SubscriptionOptions options = routes.get(0).options();
      return isOwnMessage && options.noLocal() ? List.of() : List.of(options);
    }
    List<SubscriptionOptions> wanted = new ArrayList<>(routes.size());
    for (Route route : routes) {
      if (!(isOwnMessage && route.options().noLocal())) {
        wanted.add(route.options());
      }
    }
    return wanted;
  }
}
