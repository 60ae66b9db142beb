package io.fjordmq.router;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.IntConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Topic filters of all tenants, and what they make of a topic, cached. Thread-safe.
 *
 * <p>What was found for a topic is the same object until a filter that matches it is changed. That
 * is exact: a change invalidates the topics its filter matches and no others, and it has done so
 * when {@link #compute} returns. Matching takes no lock and never waits; a topic found in the cache
 * costs two hash lookups and no allocation.
 *
 * @param <V> what a filter stands for; never changed in place unless {@code combine} bears it
 * @param <R> what all filters that match a topic stand for together
 */
public final class FilterTable<V, R> {
  /*
   * Why no match is stale. A change holds the lock and, in this order, (1) changes the trie, (2) raises the tenant's version,
   * (3) forgets the cached topics that its filter matches. A match that finds nothing cached (a) reads the version,
   * (b) walks the trie, (c) takes the lock if it is free, and only if the version is still the one of (a) remembers its result.
   *
   * Take a change that returned, and a later match. If the match takes a cached result, that was remembered either before the
   * change took the lock (then (3) forgot it, if the filter matches) or after the change gave it back. In the latter case the
   * version at (c) was the raised one, so it was at (a), so (1) came before (b): the result knows the change. If the match
   * walks the trie itself, it does so after (1).
   *
   * A tenant without filters is dropped. Who still holds the dropped object cannot remember anything in it: (c) looks for the
   * tenant again.
   */

  private final ConcurrentHashMap<String, Tenant<V, R>> tenants = new ConcurrentHashMap<>();
  private final ReentrantLock lock = new ReentrantLock();
  private final Function<List<V>, R> combine;
  private final ToIntFunction<R> weight;
  private final R nothing;
  private final TopicCache<R> cache;
  private final RecentValues<String> levels = new RecentValues<>(); // guarded by lock
  private volatile int size;

  private final LongAdder hits = new LongAdder();
  private final LongAdder misses = new LongAdder();

  /**
   * A table at a moment; the last four count since it was made.
   *
   * @param filters of all tenants
   * @param cachedTopics topics whose result is remembered
   * @param hits matches answered from the cache
   * @param misses matches made anew
   * @param invalidations remembered topics forgotten because a filter of theirs was changed
   * @param evictions remembered topics forgotten to make room
   */
  public record Status(
      int filters, int cachedTopics, long hits, long misses, long invalidations, long evictions) {}

  /** What {@link #compute} does to a filter's value. */
  @FunctionalInterface
  public interface Change<V> {
    /** From the value (null if the filter is not in) to the new one (null removes it). */
    @Nullable V apply(@Nullable V before);
  }

  private static final class Tenant<V, R> {
    final FilterTrie<V> filters;
    final TopicCache.Part<R> cached = new TopicCache.Part<>();

    /** Changes so far; raised under the lock. */
    volatile long version;

    Tenant(RecentValues<String> levels) {
      filters = new FilterTrie<>(levels);
    }
  }

  /**
   * @param combine makes one result of the values that match, in no order that means anything;
   *     called by any matching thread, at the same time as {@link Change}s, with an empty list too
   * @param maxCachedTopics of all tenants together; when full, those not asked for lately go
   */
  public FilterTable(Function<List<V>, R> combine, int maxCachedTopics) {
    this(combine, result -> 1, maxCachedTopics);
  }

  /**
   * A table whose results are not all of a size.
   *
   * @param combine as above
   * @param weight what keeping a result costs, ≥ 1; one of more than an eighth of {@code
   *     maxCachedTopics} is not kept
   * @param maxCachedTopics topics of weight 1 that have room
   */
  public FilterTable(Function<List<V>, R> combine, ToIntFunction<R> weight, int maxCachedTopics) {
    if (maxCachedTopics < 1) {
      throw new IllegalArgumentException("maxCachedTopics must be ≥ 1, not " + maxCachedTopics);
    }
    this.combine = combine;
    this.weight = weight;
    this.cache = new TopicCache<>(maxCachedTopics);
    this.nothing = combine.apply(List.of());
  }

  /** What the topic matches, whatever it costs. */
  public R match(String tenant, String topic) {
    return match(tenant, topic, visited -> {});
  }

  /**
   * What the topic matches.
   *
   * @param visited told how many nodes of the filter trie were visited if the result was not cached
   */
  public R match(String tenant, String topic, IntConsumer visited) {
    Tenant<V, R> its = tenants.get(tenant);
    if (its == null) {
      return nothing;
    }
    R hit = cache.get(its.cached, topic);
    if (hit == null) {
      misses.increment();
      return matchAnew(its, tenant, topic, visited);
    }
    hits.increment();
    return hit;
  }

  /**
   * Changes what a filter stands for. Once this returns, no match that begins sees the old value.
   *
   * @param pattern valid topic filter without a share name
   * @param change called under the table's lock. If it returns what it got, nothing is invalidated
   */
  public void compute(String tenant, String pattern, Change<V> change) {
    lock.lock();
    try {
      Tenant<V, R> its = tenants.get(tenant);
      V before = its == null ? null : its.filters.get(pattern);
      V after = change.apply(before);
      if (after == before) {
        return;
      }
      if (its == null) {
        its = new Tenant<>(levels);
        tenants.put(tenant, its);
      }
      set(its, pattern, before, after);
      if (its.filters.size() == 0) {
        cache.drop(its.cached);
        tenants.remove(tenant);
      }
    } finally {
      lock.unlock();
    }
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField") // only written under the lock
  private void set(Tenant<V, R> its, String pattern, @Nullable V before, @Nullable V after) {
    if (after == null) {
      its.filters.remove(pattern);
      size--;
    } else {
      its.filters.put(pattern, after);
      size += before == null ? 1 : 0;
    }
    its.version++;
    cache.invalidate(its.cached, pattern);
  }

  /** Filters of all tenants. */
  public int size() {
    return size;
  }

  /** Cached topics. */
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

  /** Calls for the value of every filter, under the table's lock. For rare use. */
  void forEach(Consumer<? super V> action) {
    lock.lock();
    try {
      tenants.values().forEach(tenant -> tenant.filters.forEach(action));
    } finally {
      lock.unlock();
    }
  }

  private R matchAnew(Tenant<V, R> its, String tenant, String topic, IntConsumer visited) {
    long version = its.version;
    List<V> values = new ArrayList<>(4);
    visited.accept(its.filters.match(topic, values::add));
    R result = values.isEmpty() ? nothing : combine.apply(values);
    int resultWeight = weight.applyAsInt(result);
    // If the lock is taken, another match of the topic will do.
    if (cache.isWorthIt(topic, resultWeight) && lock.tryLock()) {
      try {
        if (tenants.get(tenant) == its && its.version == version) {
          cache.remember(its.cached, topic, result, resultWeight);
        }
      } finally {
        lock.unlock();
      }
    }
    return result;
  }
}
