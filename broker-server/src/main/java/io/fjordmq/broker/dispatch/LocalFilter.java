package io.fjordmq.broker.dispatch;

import io.fjordmq.api.SubscriptionOptions;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** One topic filter and its subscribers among this node's connected clients. Thread-safe. */
final class LocalFilter {
  private final String pattern;

  /**
   * The subscribers in the order in which they subscribed; an immutable map in the common case of
   * at most one.
   */
  private Map<LocalSubscriber, SubscriptionOptions> subscribers = Map.of();

  /** Incremented on every change; only written while holding the monitor. */
  private volatile int version;

  /** Computed lazily, so that a burst of SUBSCRIBEs causes only one computation. */
  private volatile @Nullable FanOutPlan fanOutPlan;

  LocalFilter(String pattern) {
    this.pattern = pattern;
  }

  String pattern() {
    return pattern;
  }

  int version() {
    return version;
  }

  /** Adds a subscriber or replaces its options. */
  synchronized void add(LocalSubscriber localSubscriber, SubscriptionOptions options) {
    boolean isOnly =
        subscribers.isEmpty()
            || (subscribers.size() == 1 && subscribers.containsKey(localSubscriber));
    if (isOnly) {
      subscribers = Map.of(localSubscriber, options);
    } else {
      mutableSubscribers().put(localSubscriber, options);
    }
    markChanged();
  }

  /** Removes a subscriber; returns true if no subscriber is left. */
  synchronized boolean remove(LocalSubscriber localSubscriber) {
    if (subscribers.containsKey(localSubscriber)) {
      if (subscribers.size() == 1) {
        subscribers = Map.of();
      } else {
        mutableSubscribers().remove(localSubscriber);
      }
      markChanged();
    }
    return subscribers.isEmpty();
  }

  private Map<LocalSubscriber, SubscriptionOptions> mutableSubscribers() {
    if (!(subscribers instanceof LinkedHashMap)) {
      subscribers = new LinkedHashMap<>(subscribers);
    }
    return subscribers;
  }

  FanOutPlan fanOut() {
    FanOutPlan ready = fanOutPlan;
    return ready != null ? ready : buildFanOut();
  }

  private synchronized FanOutPlan buildFanOut() {
    FanOutPlan.Builder builder = new FanOutPlan.Builder();
    subscribers.forEach(builder::add);
    FanOutPlan built = builder.build();
    fanOutPlan = built;
    return built;
  }

  /** Calls the action for each subscriber; returns the version of the filter at that time. */
  synchronized int forEach(BiConsumer<LocalSubscriber, SubscriptionOptions> action) {
    subscribers.forEach(action);
    return version;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // only written while holding the monitor
  private void markChanged() {
    version++;
    fanOutPlan = null;
  }
}
