package io.fjordmq.broker.dispatch;

import io.fjordmq.api.Qos;
import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.router.Route;
import io.fjordmq.router.RouteStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's routes, each of which exists as long as a subscription needs it. Additions are made
 * immediately because a SUBACK waits for them; the number of concurrent removals is limited. A
 * failed removal is retried after another call has succeeded, unless the filter is in use again by
 * then.
 */
public final class LocalRoutes {
  /**
   * The options of the node's own route. It has the highest QoS because the node lowers the QoS for
   * each client itself.
   */
  public static final SubscriptionOptions NODE_ROUTE_OPTIONS =
      SubscriptionOptions.ofQos(Qos.EXACTLY_ONCE);

  private static final Logger LOG = LoggerFactory.getLogger(LocalRoutes.class);

  /**
   * Identifies a route of this node.
   *
   * @param member the share member; empty for the node's own route
   */
  record Key(String tenant, TopicFilter filter, String member) {}

  private final LocalNode self;
  private final RouteStore router;
  private final BoundedCalls removals;
  private final DispatchObserver observer;
  private final ConcurrentHashMap<Key, LocalRoute> routes = new ConcurrentHashMap<>();

  /** Unused routes whose removal failed. */
  private final Set<Key> failedRemovals = ConcurrentHashMap.newKeySet();

  private final RateLimitedLog failures = new RateLimitedLog();

  LocalRoutes(LocalNode self, RouteStore router, BoundedCalls removals, DispatchObserver observer) {
    this.self = self;
    this.router = router;
    this.removals = removals;
    this.observer = observer;
  }

  /**
   * Counts a subscription that needs the route. This method makes no router calls, so the caller
   * may hold locks; it must call {@link #reconcile} after releasing them.
   *
   * @param additional false if the subscription has already been counted and only its options have
   *     changed
   * @return a future that completes when every node uses the route for matching; if it fails, the
   *     subscription is still counted
   */
  CompletableFuture<Void> hold(Key key, SubscriptionOptions options, boolean additional) {
    List<CompletableFuture<Void>> ready = new ArrayList<>(1);
    routes.compute(
        key,
        (k, present) -> {
          LocalRoute route =
              present == null ? new LocalRoute(self.incarnation(), options) : present;
          ready.add(
              route.hold(key.member.isEmpty() ? route.mergeOptions(options) : options, additional));
          return route;
        });
    return ready.get(0);
  }

  /**
   * Records that a counted subscription no longer needs the route. Call {@link #reconcile}
   * afterward.
   */
  void release(Key key) {
    LocalRoute route = routes.get(key);
    if (route != null) {
      route.release();
    }
  }

  /**
   * Forgets the routes of an ended incarnation; sweeps remove them from the router. Routes added
   * later belong to the next incarnation. Removals still queued refer to the ended incarnation and
   * do not affect the new routes.
   */
  void clear() {
    routes.clear();
    failedRemovals.clear();
  }

  int size() {
    return routes.size();
  }

  int failedRemovals() {
    return failedRemovals.size();
  }

  /**
   * Makes the router calls that bring the route to the needed state, until a call is in flight or
   * no more calls are needed.
   */
  void reconcile(Key key) {
    // If a call completes immediately, these loops continue instead of recursing.
    for (Key next = key; next != null; ) {
      next = reconcileOne(next) ? takeFailedRemoval() : null;
    }
  }

  /** Makes the next call; returns true if it completed immediately and succeeded. */
  private boolean reconcileOne(Key key) {
    LocalRoute route = routes.get(key);
    if (route == null) {
      return false;
    }
    route.takeAbandonedWaiters().forEach(waiting -> waiting.complete(null));
    boolean succeeded = false;
    for (LocalRoute.Step step = route.startNextStep(); step != null; step = route.startNextStep()) {
      LocalRoute.Step current = step;
      CompletableFuture<Void> call = startCall(key, route, step);
      if (!call.isDone()) {
        call.whenComplete((ok, fault) -> completeStep(key, route, current, fault));
        return succeeded;
      }
      call.whenComplete((ok, fault) -> finishStep(key, route, current, fault));
      succeeded |= !call.isCompletedExceptionally();
    }
    routes.computeIfPresent(key, (k, present) -> present.isGone() ? null : present);
    return succeeded;
  }

  private void completeStep(
      Key key, LocalRoute route, LocalRoute.Step step, @Nullable Throwable fault) {
    finishStep(key, route, step, fault);
    reconcile(key);
    Key failedRemoval = fault == null ? takeFailedRemoval() : null;
    if (failedRemoval != null) {
      reconcile(failedRemoval);
    }
  }

  private CompletableFuture<Void> startCall(Key key, LocalRoute route, LocalRoute.Step step) {
    if (step instanceof LocalRoute.Step.Add add) {
      return StoreCalls.tryCall(() -> router.add(toRoute(key, route, add.options())));
    }
    Route removed = toRoute(key, route, NODE_ROUTE_OPTIONS);
    return removals.run(() -> router.remove(removed));
  }

  private Route toRoute(Key key, LocalRoute route, SubscriptionOptions options) {
    return new Route(
        key.tenant, key.filter, self.receiver(route.incarnation(), key.member), options);
  }

  private void finishStep(
      Key key, LocalRoute route, LocalRoute.Step step, @Nullable Throwable fault) {
    var waiters = route.onStepDone(step, fault == null);
    boolean isCurrent = routes.get(key) == route;
    if (fault == null) {
      if (isCurrent) {
        failedRemovals.remove(key);
      }
    } else {
      observer.onRouteFailed();
      @Nullable String suppressed = failures.permit();
      if (suppressed != null) {
        // The message is enough for operators; the stack trace is logged at DEBUG level.
        Throwable cause = fault.getCause() == null ? fault : fault.getCause();
        LOG.warn(
            "{}: {}{} tenant={} filter={} member={}",
            step instanceof LocalRoute.Step.Add
                ? "Failed to add a route; the subscription fails"
                : "Failed to remove an unused route; retrying",
            cause.getMessage(),
            suppressed,
            key.tenant,
            key.filter,
            key.member);
        LOG.debug("Failed to update a route step={} route={}", step, key, fault);
      }
      if (isCurrent && route.hasFailedRemoval()) {
        failedRemovals.add(key);
      }
    }
    for (CompletableFuture<Void> waiting : waiters) {
      if (fault == null) {
        waiting.complete(null);
      } else {
        waiting.completeExceptionally(fault);
      }
    }
  }

  /** Takes a route whose removal must be retried; null if there is none. */
  private @Nullable Key takeFailedRemoval() {
    for (Key key : failedRemovals) {
      LocalRoute route = routes.get(key);
      if (failedRemovals.remove(key) && route != null) {
        route.allowRetry();
        return key;
      }
    }
    return null;
  }
}
