package io.fjordmq.router;

import java.util.Collections;
import java.util.NavigableSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.jspecify.annotations.Nullable;

/**
 * The texts of the shared topic filters of each tenant, sorted. The trie has them below the
 * patterns that they share, in another order. Supports one writer at a time and any number of
 * readers.
 */
final class SharedFilters {
  private final ConcurrentHashMap<String, ConcurrentSkipListSet<String>> byTenant =
      new ConcurrentHashMap<>();

  /** Adds a filter, unless it is present. */
  void add(String tenant, String filter) {
    byTenant.computeIfAbsent(tenant, name -> new ConcurrentSkipListSet<>()).add(filter);
  }

  void remove(String tenant, String filter) {
    @Nullable ConcurrentSkipListSet<String> filters = byTenant.get(tenant);
    if (filters != null) {
      filters.remove(filter);
      if (filters.isEmpty()) {
        byTenant.remove(tenant);
      }
    }
  }

  /** Returns a view of the filters of a tenant after a text. */
  NavigableSet<String> after(String tenant, String text) {
    @Nullable ConcurrentSkipListSet<String> filters = byTenant.get(tenant);
    return filters == null ? Collections.emptyNavigableSet() : filters.tailSet(text, false);
  }
}
