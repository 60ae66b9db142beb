package io.fjordmq.broker.delivery;

import io.fjordmq.api.SubscriptionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One route of this node and how many subscriptions need it. At most one call to the router is
 * under way for it, and each next one is decided by what is needed then: a removal overtaken by a
 * new subscriber is followed by an addition, whoever came in between. Thread-safe; nobody calls the
 * router with the monitor held.
 */
final class LocalRoute {

  /** What is to be called next. */
  sealed interface Step {
    /** Add the route with these options. */
    record Add(SubscriptionOptions options) implements Step {}

    /** Remove it. */
    record Remove() implements Step {}
  }

  private final long life;
  private int needed;
  private SubscriptionOptions wanted;

  /** As the router has it for sure; null if it has none or that is not known. */
  private @Nullable SubscriptionOptions present;

  /** The router may have it although {@code present} is null: a call failed. */
  private boolean inDoubt;

  private @Nullable Step underWay;
  // Nearly always empty, and there is one of these for nearly every client.
  private List<CompletableFuture<Void>> waitingForStep = List.of();
  private List<CompletableFuture<Void>> waiting = List.of();
  private boolean retry;

  /**
   * @param life the incarnation of this node that the route names, whenever a call is made
   */
  LocalRoute(long life, SubscriptionOptions wanted) {
    this.life = life;
    this.wanted = wanted;
  }

  long life() {
    return life;
  }

  /**
   * One subscription needs the route, or needs it with other options.
   *
   * @param additional false if the subscription was counted before
   * @return completes when the router has it
   */
  synchronized CompletableFuture<Void> hold(SubscriptionOptions options, boolean additional) {
    needed += additional ? 1 : 0;
    wanted = options;
    if (underWay == null && options.equals(present)) {
      return CompletableFuture.completedFuture(null);
    }
    CompletableFuture<Void> ready = new CompletableFuture<>();
    if (underWay instanceof Step.Add add && add.options.equals(options)) {
      waitingForStep = with(waitingForStep, ready);
    } else {
      waiting = with(waiting, ready);
    }
    return ready;
  }

  private static List<CompletableFuture<Void>> with(
      List<CompletableFuture<Void>> waiting, CompletableFuture<Void> one) {
    List<CompletableFuture<Void>> more = waiting.isEmpty() ? new ArrayList<>(1) : waiting;
    more.add(one);
    return more;
  }

  /**
   * The options that serve the subscriptions there are as well: a route of many is raised for one
   * that needs more, and not lowered when that one goes.
   */
  synchronized SubscriptionOptions notLowered(SubscriptionOptions options) {
    boolean isHigher = wanted.maxQos().compareTo(options.maxQos()) > 0;
    return needed > 0 && isHigher ? wanted : options;
  }

  /** One subscription needs it no more. */
  synchronized void release() {
    needed--;
    retry |= needed == 0;
  }

  /** Those who wait for a route that nobody needs any more: nothing will be added for them. */
  synchronized List<CompletableFuture<Void>> takeAbandoned() {
    if (needed > 0 || waiting.isEmpty()) {
      return List.of();
    }
    List<CompletableFuture<Void>> abandoned = waiting;
    waiting = List.of();
    return abandoned;
  }

  /** A removal that failed may be tried again. */
  synchronized void retry() {
    retry = true;
  }

  /** What to call now, if anything; the caller must call and then say {@link #done}. */
  synchronized @Nullable Step next() {
    if (underWay != null) {
      return null;
    }
    if (needed > 0 && !waiting.isEmpty()) {
      underWay = new Step.Add(wanted);
      waitingForStep = waiting;
      waiting = List.of();
    } else if (needed == 0 && retry && (present != null || inDoubt)) {
      underWay = new Step.Remove();
    }
    retry = false;
    return underWay;
  }

  /** The call is over. Returns whom to tell. */
  synchronized List<CompletableFuture<Void>> done(Step step, boolean succeeded) {
    underWay = null;
    inDoubt = !succeeded;
    present = succeeded && step instanceof Step.Add add ? add.options : null;
    List<CompletableFuture<Void>> told = waitingForStep;
    waitingForStep = List.of();
    return told;
  }

  /** True if nobody needs it and the router does not have it. */
  synchronized boolean isGone() {
    return needed == 0 && underWay == null && present == null && !inDoubt;
  }

  /** True if nobody needs it and it could not be removed. */
  synchronized boolean isLeftOver() {
    return needed == 0 && underWay == null && inDoubt;
  }
}
