package io.fjordmq.router;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Topic filters of all tenants, with a cache of the results for topics. Thread-safe.
 *
 * <p>A topic's result is the same object until a filter that matches the topic changes.
 * Invalidation is exact: a change invalidates the topics that its filter matches and no others,
 * before {@link #compute} returns. Matching takes no lock and never blocks; a cached topic costs
 * two hash lookups and no allocation.
 *
 * @param <V> value of a filter; not modified in place unless {@code combine} tolerates it
 * @param <R> combined result of all filters that match a topic
 */
public final class FilterTable<V, R> {
  /*
   * Why a match is never stale. A change holds the lock and, in this order, (1) updates the trie,
   * (2) increments the tenant's version, (3) invalidates the cached topics that its filter matches.
   * A match that misses the cache (a) reads the version, (b) walks the trie, (c) takes the lock if
   * it is free and caches its result, provided that the version is still that of (a).
   *
   * Consider a change that has returned, and a later match. If the match hits the cache, the result
   * was cached either before the change took the lock, and then (3) removed it if the filter
   * matches, or after the change released the lock. In the latter case the version at (c) was the
   * incremented one, and so was the version at (a). So (1) came before (b), and the result includes
   * the change. If the match walks the trie itself, it does so after (1).
   *
   * A tenant without filters is removed. A thread that still holds the removed object cannot cache
   * anything in it, because (c) looks up the tenant again.
   */

  private final ConcurrentHashMap<String, Tenant<V, R>> tenants = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Function<List<V>, Weighted<R>> combine;
  private final Weighted<R> noMatch;
  private final TopicCache<R> cache;
  private final LossyInterner<String> levels = new LossyInterner<>(); // guarded by lock
  private volatile int size;
  private volatile long changes;

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * Statistics of a table; the last four count since its creation.
   *
   * @param filters filters of all tenants
   * @param cachedTopics topics with a cached result
   * @param hits matches served from the cache
   * @param misses matches computed from the trie
   * @param invalidations cached topics removed because a matching filter changed
   * @param evictions cached topics removed because the cache was full
   */
  public record Status(
      int filters, int cachedTopics, long hits, long misses, long invalidations, long evictions) {}

  /** The function that {@link #compute} applies to a filter's value. */
  @FunctionalInterface
  public interface Change<V> {
    /** Maps the value (null if the filter is absent) to the new one (null removes the filter). */
    @Nullable V apply(@Nullable V before);
  }

  /**
   * A result and the cost of caching it. Only the result is kept.
   *
   * @param weight at least 1; a result that weighs more than an eighth of the table's maximum is
   *     not cached
   */
  public record Weighted<R>(R result, int weight) {}

  private static final class Tenant<V, R> {
    final FilterTrie<V> filters;
    final TopicCache.TenantPart<R> cached = new TopicCache.TenantPart<>();

    /** Number of changes; incremented under the lock. */
    volatile long version;

    Tenant(LossyInterner<String> levels) {
      filters = new FilterTrie<>(levels);
    }
  }

  /**
   * Creates a table whose results all have weight 1.
   *
   * @param combine combines the matching values, which come in no particular order, into a result;
   *     called by any matching thread, concurrently with {@link Change}s, and with an empty list
   * @param maxCachedTopics maximum number of cached topics of all tenants; when it is reached,
   *     topics that were not used recently are evicted
   */
  public FilterTable(Function<List<V>, R> combine, int maxCachedTopics) {
    this(maxCachedTopics, values -> new Weighted<>(combine.apply(values), 1));
  }

  /**
   * Creates a table whose results differ in weight.
   *
   * @param combine as for the constructor
   * @param maxWeight maximum total weight of the cached results
   */
  static <V, R> FilterTable<V, R> weighted(Function<List<V>, Weighted<R>> combine, int maxWeight) {
    return new FilterTable<>(maxWeight, combine);
  }

  private FilterTable(int maxCachedTopics, Function<List<V>, Weighted<R>> combine) {
    if (maxCachedTopics < 1) {
      throw new IllegalArgumentException(
          "maxCachedTopics must be at least 1, not " + maxCachedTopics);
    }
    this.combine = combine;
    this.cache = new TopicCache<>(maxCachedTopics);
    this.noMatch = combine.apply(List.of());
  }

  /** Returns the result for a topic. */
  public R match(String tenant, String topic) {
    return match(tenant, topic, visited -> {});
  }

  /**
   * Returns the result for a topic.
   *
   * @param visited receives the number of trie nodes visited, unless the result was cached
   */
  public R match(String tenant, String topic, IntConsumer visited) {
    Tenant<V, R> entry = tenants.get(tenant);
    if (entry == null) {
      return noMatch.result;
    }
    R hit = cache.get(entry.cached, topic);
    if (hit == null) {
      misses.increment();
      return matchUncached(entry, tenant, topic, visited);
    }
    hits.increment();
    return hit;
  }

  /**
   * Changes the value of a filter. A match that starts after this method returns does not see the
   * old value.
   *
   * @param pattern valid topic filter without a share name
   * @param change called under the table's lock; nothing is invalidated if it returns its argument
   */
  public void compute(String tenant, String pattern, Change<V> change) {
    lock.lock();
    try {
      Tenant<V, R> entry = tenants.get(tenant);
      V before = entry == null ? null : entry.filters.get(pattern);
      V after = change.apply(before);
      if (after == before) {
        return;
      }
      if (entry == null) {
        entry = new Tenant<>(levels);
        tenants.put(tenant, entry);
      }
      set(entry, pattern, before, after);
      if (entry.filters.size() == 0) {
        cache.drop(entry.cached);
        tenants.remove(tenant);
      }
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // only written under the lock
  private void set(Tenant<V, R> entry, String pattern, @Nullable V before, @Nullable V after) {
    if (after == null) {
      entry.filters.remove(pattern);
      size--;
    } else {
      entry.filters.put(pattern, after);
      size += before == null ? 1 : 0;
    }
    entry.version++;
    changes++;
    cache.invalidate(entry.cached, pattern);
  }

  /** Returns the value of exactly this filter; null if it is absent. Takes no lock. */
  public @Nullable V get(String tenant, String pattern) {
    Tenant<V, R> entry = tenants.get(tenant);
    return entry == null ? null : entry.filters.get(pattern);
  }

  /** Returns a view of the tenants that have filters. */
  public Set<String> tenants() {
    return Collections.unmodifiableSet(tenants.keySet());
  }

  /** Returns the number of filters of all tenants. */
  public int size() {
    return size;
  }

  /** Returns the number of changes of filters since creation, of all tenants. */
  long changes() {
    return changes;
  }

  /** Returns the number of cached topics. */
  public int cachedTopics() {
    return status().cachedTopics();
  }

  public Status status() {
    lock.lock();
    try {
      return new Status(
          size, cache.size(), hits.sum(), misses.sum(), cache.invalidations(), cache.evictions());
    } finally {
      lock.unlock();
    }
  }

  /** Passes the value of every filter to the action, under the table's lock. For infrequent use. */
  void forEach(Consumer<? super V> action) {
    lock.lock();
    try {
      tenants.values().forEach(tenant -> tenant.filters.forEach(action));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Passes the value of every filter of a tenant, in no particular order and without a lock. A
   * filter that is added or removed meanwhile may or may not be passed. For infrequent use.
   *
   * @param isOver ends the visit when it becomes true
   * @return whether every filter was passed
   */
  boolean forEachUntil(String tenant, BooleanSupplier isOver, Consumer<? super V> action) {
    Tenant<V, R> entry = tenants.get(tenant);
    return entry == null || entry.filters.forEachUntil(isOver, action);
  }

  /**
   * Passes the values of a tenant's filters after a text to the visitor, in the order of their
   * texts and without a lock. A filter that is added or removed meanwhile may or may not be passed.
   *
   * @param visitor returns false to end the visit
   * @param isOver ends the visit when it becomes true
   * @return false if {@code isOver} has ended the visit
   */
  boolean forEachSorted(
      String tenant, String after, BooleanSupplier isOver, Predicate<? super V> visitor) {
    Tenant<V, R> entry = tenants.get(tenant);
    return entry == null || entry.filters.walk(after).run(isOver, visitor);
  }

  private R matchUncached(Tenant<V, R> entry, String tenant, String topic, IntConsumer visited) {
    long version = entry.version;
    List<V> values = new ArrayList<>(4);
    visited.accept(entry.filters.match(topic, values::add));
    Weighted<R> combined = values.isEmpty() ? noMatch : combine.apply(values);
    // If the lock is taken, a later match of the topic will cache the result.
    if (cache.shouldCache(topic, combined.weight) && lock.tryLock()) {
      try {
        if (tenants.get(tenant) == entry && entry.version == version) {
          cache.put(entry.cached, topic, combined.result, combined.weight);
        }
      } finally {
        lock.unlock();
      }
    }
    return combined.result;
  }
}
