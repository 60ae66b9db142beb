package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import io.fjordmq.api.TopicFilter;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.router.Route;
import io.fjordmq.router.Router;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's routes, each there as long as a subscription needs it. Additions are made at once,
 * since a SUBACK waits for them; removals a bounded number at a time. A removal that fails is tried
 * again when another call has succeeded, or not needed any more when the filter is used again.
 */
final class LocalRoutes {
  private static final Logger LOG = LoggerFactory.getLogger(LocalRoutes.class);

  /**
   * Names a route of this node.
   *
   * @param member of a share; empty for the node's own route
   */
  record Key(String tenant, TopicFilter filter, String member) {}

  private final LocalNode self;
  private final Router router;
  private final BoundedCalls removals;
  private final DeliveryObserver observer;
  private final ConcurrentHashMap<Key, LocalRoute> held = new ConcurrentHashMap<>();

  /** Those that nobody needs and whose removal failed. */
  private final Set<Key> leftovers = ConcurrentHashMap.newKeySet();

  private final RateLimitedLog failures = new RateLimitedLog();

  LocalRoutes(LocalNode self, Router router, BoundedCalls removals, DeliveryObserver observer) {
    this.self = self;
    this.router = router;
    this.removals = removals;
    this.observer = observer;
  }

  /**
   * Counts a subscription that needs the route. Calls nobody, so it may be called with locks held;
   * {@link #drive} has to follow without.
   *
   * @param additional false if it is counted already and only its options are new
   * @return completes when every node matches the route; fails as the router says, and then the
   *     subscription is still counted
   */
  CompletableFuture<Void> hold(Key key, SubscriptionOptions options, boolean additional) {
    List<CompletableFuture<Void>> ready = new ArrayList<>(1);
    held.compute(
        key,
        (k, present) -> {
          LocalRoute route =
              present == null ? new LocalRoute(self.incarnation(), options) : present;
          ready.add(
              route.hold(key.member.isEmpty() ? route.notLowered(options) : options, additional));
          return route;
        });
    return ready.get(0);
  }

  /** A counted subscription needs the route no more; {@link #drive} has to follow. */
  void release(Key key) {
    LocalRoute route = held.get(key);
    if (route != null) {
      route.release();
    }
  }

  /**
   * The routes named a life of this node that is over: whoever sweeps removes them. What is held
   * from now on names the next one. Removals that wait for their turn still name the old one, so
   * they do not touch what the next one adds.
   */
  void forget() {
    held.clear();
    leftovers.clear();
  }

  int size() {
    return held.size();
  }

  int leftovers() {
    return leftovers.size();
  }

  /** Makes the calls the route needs until one is under way or none is needed. */
  void drive(Key key) {
    // Calls that are complete at once go on in these loops instead of deeper in the stack.
    for (Key next = key; next != null; ) {
      next = driveOne(next) ? takeLeftover() : null;
    }
  }

  /** True if a call was complete at once and succeeded. */
  private boolean driveOne(Key key) {
    LocalRoute route = held.get(key);
    if (route == null) {
      return false;
    }
    route.takeAbandoned().forEach(waiting -> waiting.complete(null));
    boolean succeeded = false;
    for (LocalRoute.Step step = route.next(); step != null; step = route.next()) {
      LocalRoute.Step underWay = step;
      CompletableFuture<Void> call = make(key, route, step);
      if (!call.isDone()) {
        call.whenComplete((ok, fault) -> settleAndGoOn(key, route, underWay, fault));
        return succeeded;
      }
      call.whenComplete((ok, fault) -> settle(key, route, underWay, fault));
      succeeded |= !call.isCompletedExceptionally();
    }
    held.computeIfPresent(key, (k, present) -> present.isGone() ? null : present);
    return succeeded;
  }

  private void settleAndGoOn(
      Key key, LocalRoute route, LocalRoute.Step step, @Nullable Throwable fault) {
    settle(key, route, step, fault);
    drive(key);
    Key leftover = fault == null ? takeLeftover() : null;
    if (leftover != null) {
      drive(leftover);
    }
  }

  private CompletableFuture<Void> make(Key key, LocalRoute route, LocalRoute.Step step) {
    if (step instanceof LocalRoute.Step.Add add) {
      return StoreCalls.guarded(() -> router.add(named(key, route, add.options())));
    }
    Route gone = named(key, route, LocalSubscriptions.NODE_ROUTE_OPTIONS);
    return removals.run(() -> router.remove(gone));
  }

  private Route named(Key key, LocalRoute route, SubscriptionOptions options) {
    return new Route(key.tenant, key.filter, self.receiver(route.life(), key.member), options);
  }

  private void settle(Key key, LocalRoute route, LocalRoute.Step step, @Nullable Throwable fault) {
    var told = route.done(step, fault == null);
    boolean isOfThisLife = held.get(key) == route;
    if (fault == null) {
      if (isOfThisLife) {
        leftovers.remove(key);
      }
    } else {
      observer.routeFailed();
      @Nullable String suppressed = failures.permit();
      if (suppressed != null) {
        // Why says all; where from is for whoever looks for a defect.
        Throwable why = fault.getCause() == null ? fault : fault.getCause();
        LOG.warn(
            "Failed to update a route, retrying: {}{} step={} route={}",
            why.getMessage(),
            suppressed,
            step,
            key);
        LOG.debug("{} {} failed", step, key, fault);
      }
      if (isOfThisLife && route.isLeftOver()) {
        leftovers.add(key);
      }
    }
    for (CompletableFuture<Void> waiting : told) {
      if (fault == null) {
        waiting.complete(null);
      } else {
        waiting.completeExceptionally(fault);
      }
    }
  }

  /** A route to be removed at last; null if there is none. */
  private @Nullable Key takeLeftover() {
    for (Key key : leftovers) {
      LocalRoute route = held.get(key);
      if (leftovers.remove(key) && route != null) {
        route.retry();
        return key;
      }
    }
    return null;
  }
}
