package io.fjordmq.broker.delivery;

import io.fjordmq.inbox.InboxId;
import io.fjordmq.inbox.InboxSubscription;
import io.fjordmq.router.Receiver;
import io.fjordmq.router.Route;
import io.fjordmq.router.Router;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Removes the routes that lead to inboxes that are no more. (A session adds and removes those of
 * its own subscriptions one by one.) Thread-safe.
 */
public final class InboxRoutes {
  private final Router router;
  private final BoundedCalls removals;

  public InboxRoutes(Router router, DeliverySettings settings) {
    this.router = router;
    this.removals = new BoundedCalls(settings.routeRemovalsInFlight());
  }

  /**
   * Removes them, a bounded number at a time. One that cannot be removed now is removed when a
   * PUBLISH follows it and finds no inbox. Fails with {@link io.fjordmq.range.RangeException} if
   * that is so for any.
   */
  public CompletableFuture<Void> removeAll(
      InboxId id, long incarnation, List<InboxSubscription> subscriptions) {
    Receiver receiver = new Receiver.Inbox(id.clientId(), incarnation);
    return CompletableFuture.allOf(
        subscriptions.stream()
            .map(gone -> new Route(id.tenant(), gone.filter(), receiver, gone.options()))
            .map(route -> removals.run(() -> router.remove(route)))
            .toArray(CompletableFuture<?>[]::new));
  }
}
