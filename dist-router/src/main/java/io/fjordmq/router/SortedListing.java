package io.fjordmq.router;

import io.fjordmq.api.TopicFilter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Merges the shared topic filters of a tenant with its other ones into one sorted list. Not
 * thread-safe.
 */
final class SortedListing {
  private final Iterator<String> shared;
  private final Function<TopicFilter, Optional<RoutedFilter>> find;
  private final int limit;
  private final List<RoutedFilter> found = new ArrayList<>();
  private @Nullable String nextShared;

  /**
   * @param shared the texts of the shared filters, sorted
   * @param find returns a shared filter with its receivers; empty if it has just been removed
   * @param limit maximum number of filters; &gt; 0
   */
  SortedListing(
      Iterator<String> shared, Function<TopicFilter, Optional<RoutedFilter>> find, int limit) {
    this.shared = shared;
    this.find = find;
    this.limit = limit;
    moveOn();
  }

  private void moveOn() {
    nextShared = shared.hasNext() ? shared.next() : null;
  }

  boolean isFull() {
    return found.size() >= limit;
  }

  /** Adds a filter that is not shared. They must be added in order. */
  void add(RoutedFilter filter) {
    addSharedBefore(filter.filter());
    if (!isFull()) {
      found.add(filter);
    }
  }

  /** Adds the shared filters before a text; null for all. */
  void addSharedBefore(@Nullable String text) {
    while (nextShared != null && !isFull() && (text == null || nextShared.compareTo(text) < 0)) {
      find.apply(TopicFilter.parse(nextShared)).ifPresent(found::add);
      moveOn();
    }
  }

  List<RoutedFilter> filters() {
    return List.copyOf(found);
  }
}
