package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.dispatch.BoundedCalls;
import io.fjordmq.broker.dispatch.DeliverySettings;
import io.fjordmq.broker.dispatch.LocalRoutes;
import io.fjordmq.broker.dispatch.StoreCalls;
import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteStore;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The routes that lead to inboxes. Thread-safe. Futures fail with {@link
 * io.fjordmq.range.RangeException}.
 */
public final class InboxRoutes {
  private final RouteStore router;
  private final BoundedCalls removals;

  InboxRoutes(RouteStore router, DeliverySettings settings) {
    this.router = router;
    this.removals = new BoundedCalls(settings.routeRemovalsInFlight());
  }

  /**
   * Adds or replaces the route of a subscription. Completes once every node uses the route for
   * matching.
   */
  public CompletableFuture<Void> add(InboxId id, long incarnation, InboxSubscription subscription) {
    return StoreCalls.tryCall(
        () -> router.add(route(id, incarnation, subscription.filter(), subscription.options())));
  }

  /**
   * Adds the route of a subscription if it is missing, because an earlier connection may have ended
   * after changing only one of inbox and route. Completes immediately if the route exists,
   * otherwise once every node uses it for matching.
   */
  public CompletableFuture<Void> addIfMissing(
      InboxId id, long incarnation, InboxSubscription subscription) {
    Route route = route(id, incarnation, subscription.filter(), subscription.options());
    return router.has(route)
        ? CompletableFuture.completedFuture(null)
        : StoreCalls.tryCall(() -> router.add(route));
  }

  /** Removes the route of a subscription. Completes once no node uses the route for matching. */
  public CompletableFuture<Void> remove(InboxId id, long incarnation, TopicFilter filter) {
    return StoreCalls.tryCall(
        () -> router.remove(route(id, incarnation, filter, LocalRoutes.NODE_ROUTE_OPTIONS)));
  }

  /**
   * Removes the routes of an inbox that no longer exists, with limited concurrency. If a removal
   * fails, the route stays until a PUBLISH uses it and finds no inbox.
   */
  public CompletableFuture<Void> removeAll(
      InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    return CompletableFuture.allOf(
        subscriptions.stream()
            .map(
                subscription ->
                    removals.run(
                        () ->
                            router.remove(
                                route(
                                    id,
                                    incarnation,
                                    subscription.filter(),
                                    subscription.options()))))
            .toArray(CompletableFuture<?>[]::new));
  }

  /** The number of queued removals, for a gauge. */
  public int queuedRemovals() {
    return removals.queuedCount();
  }

  private static Route route(
      InboxId id, long incarnation, TopicFilter filter, SubscriptionOptions options) {
    return new Route(id.tenant(), filter, new Receiver.Inbox(id.clientId(), incarnation), options);
  }
}
