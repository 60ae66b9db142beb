package io.fjordmq.broker.query;

import io.fjordmq.inbox.InboxId;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Selects the first subscriptions to a topic filter from a position on. Its memory does not depend
 * on the number of subscriptions that are added. Not thread-safe.
 *
 * @param <T> what is known about a subscription
 */
final class FirstSubscriptions<T> {
  private record Selected<T>(InboxId id, T value) {}

  private final String filter;
  private final SubscriptionPosition from;
  private final int limit;
  private final TreeMap<SubscriptionPosition, Selected<T>> first = new TreeMap<>();
  private boolean hasMore;

  /**
   * @param filter the topic filter of all subscriptions
   * @param limit maximum number of selected subscriptions; &gt; 0
   */
  FirstSubscriptions(String filter, SubscriptionPosition from, int limit) {
    this.filter = filter;
    this.from = from;
    this.limit = limit;
  }

  /** Adds a subscription, in any order. It replaces one of the same client. */
  void add(InboxId id, T value) {
    SubscriptionPosition at = SubscriptionPosition.of(id, filter);
    if (at.compareTo(from) < 0) {
      return;
    }
    if (first.size() >= limit && at.compareTo(first.lastKey()) > 0) {
      hasMore = true;
      return;
    }
    first.put(at, new Selected<>(id, value));
    if (first.size() > limit) {
      first.pollLastEntry();
      hasMore = true;
    }
  }

  /** Passes the selected subscriptions in order. */
  void forEach(BiConsumer<InboxId, ? super T> action) {
    first.values().forEach(selected -> action.accept(selected.id, selected.value));
  }

  /** Returns where the next selection starts; {@link SubscriptionPosition#END} if it is empty. */
  SubscriptionPosition next() {
    return hasMore
        ? SubscriptionPosition.after(first.lastEntry().getValue().id, filter)
        : SubscriptionPosition.END;
  }
}
