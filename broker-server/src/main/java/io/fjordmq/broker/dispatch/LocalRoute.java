package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One route of this node, with the number of subscriptions that need it. At most one router call
 * per route is in flight; the next call is chosen when the previous one completes. For example, if
 * a client subscribes during a removal, an addition follows. Thread-safe; the router is never
 * called while holding the monitor.
 */
final class LocalRoute {

  /** The next router call. */
  sealed interface Step {
    /** Add the route with these options. */
    record Add(SubscriptionOptions options) implements Step {}

    /** Remove the route. */
    record Remove() implements Step {}
  }

  private final long incarnation;
  private int subscriptionCount;
  private SubscriptionOptions wantedOptions;

  /**
   * The options of the route as known to be stored in the router; null if the router does not have
   * the route or its state is unknown.
   */
  private @Nullable SubscriptionOptions presentOptions;

  /**
   * True if the router may have the route although {@code presentOptions} is null, because a call
   * failed.
   */
  private boolean inDoubt;

  private @Nullable Step inFlight;
  // Immutable while empty, because these lists are nearly always empty and nearly every client has
  // a route.
  private List<CompletableFuture<Void>> waitingForStep = List.of();
  private List<CompletableFuture<Void>> waiting = List.of();
  private boolean retry;

  /**
   * @param incarnation the incarnation of this node that is written into the route in every call
   */
  LocalRoute(long incarnation, SubscriptionOptions wanted) {
    this.incarnation = incarnation;
    this.wantedOptions = wanted;
  }

  long incarnation() {
    return incarnation;
  }

  /**
   * Records that a subscription needs the route, or needs it with different options.
   *
   * @param additional false if the subscription has already been counted
   * @return a future that completes when the router has the route
   */
  synchronized CompletableFuture<Void> hold(SubscriptionOptions options, boolean additional) {
    subscriptionCount += additional ? 1 : 0;
    wantedOptions = options;
    if (inFlight == null && options.equals(presentOptions)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> ready = new CompletableFuture<>();
    if (inFlight instanceof Step.Add add && add.options.equals(options)) {
      waitingForStep = append(waitingForStep, ready);
    } else {
      waiting = append(waiting, ready);
    }
    return ready;
  }

  private static List<CompletableFuture<Void>> append(
      List<CompletableFuture<Void>> waiting, CompletableFuture<Void> one) {
    List<CompletableFuture<Void>> more = waiting.isEmpty() ? new ArrayList<>(1) : waiting;
    more.add(one);
    return more;
  }

  /**
   * Returns options that also cover the existing subscriptions. The options of a route used by
   * several subscriptions are raised when a subscription needs more, but not lowered when that
   * subscription ends.
   */
  synchronized SubscriptionOptions mergeOptions(SubscriptionOptions options) {
    boolean isHigher = wantedOptions.maxQos().compareTo(options.maxQos()) > 0;
    return subscriptionCount > 0 && isHigher ? wantedOptions : options;
  }

  /** Records that one subscription no longer needs the route. */
  synchronized void release() {
    subscriptionCount--;
    retry |= subscriptionCount == 0;
  }

  /** Removes and returns the waiters for a route that is no longer needed and will not be added. */
  synchronized List<CompletableFuture<Void>> takeAbandonedWaiters() {
    if (subscriptionCount > 0 || waiting.isEmpty()) {
      return List.of();
    }
    List<CompletableFuture<Void>> abandoned = waiting;
    waiting = List.of();
    return abandoned;
  }

  /** Allows a failed removal to be retried. */
  synchronized void allowRetry() {
    retry = true;
  }

  /**
   * Returns the call to make now, if any. The caller must make the call and then call {@link
   * #onStepDone}.
   */
  synchronized @Nullable Step startNextStep() {
    if (inFlight != null) {
      return null;
    }
    if (subscriptionCount > 0 && !waiting.isEmpty()) {
      inFlight = new Step.Add(wantedOptions);
      waitingForStep = waiting;
      waiting = List.of();
    } else if (subscriptionCount == 0 && retry && (presentOptions != null || inDoubt)) {
      inFlight = new Step.Remove();
    }
    retry = false;
    return inFlight;
  }

  /** Records the result of a call; returns the futures that the caller must complete. */
  synchronized List<CompletableFuture<Void>> onStepDone(Step step, boolean succeeded) {
    inFlight = null;
    inDoubt = !succeeded;
    presentOptions = succeeded && step instanceof Step.Add add ? add.options : null;
    List<CompletableFuture<Void>> waiters = waitingForStep;
    waitingForStep = List.of();
    return waiters;
  }

  /** Whether no subscription needs the route and the router does not have it. */
  synchronized boolean isGone() {
    return subscriptionCount == 0 && inFlight == null && presentOptions == null && !inDoubt;
  }

  /** Whether no subscription needs the route and its removal has failed. */
  synchronized boolean hasFailedRemoval() {
    return subscriptionCount == 0 && inFlight == null && inDoubt;
  }
}
