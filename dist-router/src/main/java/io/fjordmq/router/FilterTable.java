package io.fjordmq.router;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Topic filters of all tenants, and what they make of a topic, cached. Thread-safe.
 *
 * <p>What was found for a topic is the same object until a filter that matches it is changed. That
 * is exact: a change invalidates the topics its filter matches and no others, and it has done so
 * when {@link #compute} returns. A topic found in the cache costs no lock; all else runs under one.
 *
 * @param <V> what a filter stands for; never changed in place unless {@code combine} keeps it as it
 *     is
 * @param <R> what all filters that match a topic stand for together
 */
public final class FilterTable<V, R> {
  /** Characters; a longer topic is matched anew each time, so that topics cannot fill the heap. */
  private static final int MAX_CACHED_TOPIC_LENGTH = 1_024;

  private final ConcurrentHashMap<String, Tenant<V, R>> tenants = new ConcurrentHashMap<>();
  private final Object lock = new Object();
  private final Function<List<V>, R> combine;
  private final ToIntFunction<R> weight;
  private final int maxWeight;
  private final R nothing;

  /** Cached topics in the order they get their next chance; dead ones are left in for a while. */
  private final ArrayDeque<Cached<R>> clock = new ArrayDeque<>();

  private int cached;
  private long cachedWeight;
  private volatile int size;

  private final LongAdder hits = new LongAdder();
  private long misses;
  private long invalidations;
  private long evictions;

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
    final FilterTrie<V> filters = new FilterTrie<>();
    final TopicIndex<Cached<R>> index = new TopicIndex<>();
    final ConcurrentHashMap<String, Cached<R>> results = new ConcurrentHashMap<>();
  }

  private static final class Cached<R> {
    final String tenant;
    final String topic;
    final R result;
    final int weight;
    boolean dead; // guarded by lock

    /** Asked for again since the clock passed. Races lose a chance at worst. */
    boolean recent;

    Cached(String tenant, String topic, R result, int weight) {
      this.tenant = tenant;
      this.topic = topic;
      this.result = result;
      this.weight = weight;
    }
  }

  /**
   * @param combine makes one result of the values that match, in no order that means anything;
   *     called under the table's lock, with an empty list too
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
    this.maxWeight = maxCachedTopics;
    this.nothing = combine.apply(List.of());
  }

  /** What the topic matches. */
  public R match(String tenant, String topic) {
    Tenant<V, R> its = tenants.get(tenant);
    if (its == null) {
      return nothing;
    }
    Cached<R> hit = its.results.get(topic);
    if (hit == null) {
      return matchAnew(tenant, topic);
    }
    hits.increment();
    if (!hit.recent) { // read first: a topic that is always hot must not be a contended write
      hit.recent = true;
    }
    return hit.result;
  }

  /**
   * Changes what a filter stands for. Once this returns, no match that begins sees the old value.
   *
   * @param pattern valid topic filter without a share name
   * @param change called under the table's lock. If it returns what it got, nothing is invalidated
   */
  public void compute(String tenant, String pattern, Change<V> change) {
    synchronized (lock) {
      Tenant<V, R> its = tenants.get(tenant);
      V before = its == null ? null : its.filters.get(pattern);
      V after = change.apply(before);
      if (after == before) {
        return;
      }
      if (its == null) {
        its = new Tenant<>();
        tenants.put(tenant, its);
      }
      if (after == null) {
        its.filters.remove(pattern);
        size--;
      } else {
        its.filters.put(pattern, after);
        size += before == null ? 1 : 0;
      }
      invalidate(its, pattern);
      if (its.filters.size() == 0) {
        its.results.values().forEach(this::kill);
        tenants.remove(tenant);
      }
    }
  }

  /** Filters of all tenants. */
  public int size() {
    return size;
  }

  /** Cached topics. */
  public int cachedTopics() {
    synchronized (lock) {
      return cached;
    }
  }

  public Status status() {
    synchronized (lock) {
      return new Status(size, cached, hits.sum(), misses, invalidations, evictions);
    }
  }

  /** Calls for the value of every filter, under the table's lock. For rare use. */
  void forEach(Consumer<? super V> action) {
    synchronized (lock) {
      tenants.values().forEach(tenant -> tenant.filters.forEach(action));
    }
  }

  private R matchAnew(String tenant, String topic) {
    synchronized (lock) {
      Tenant<V, R> its = tenants.get(tenant);
      if (its == null) {
        return nothing;
      }
      Cached<R> hit = its.results.get(topic);
      if (hit != null) {
        return hit.result;
      }
      misses++;
      List<V> values = new ArrayList<>(4);
      its.filters.match(topic, values::add);
      R result = values.isEmpty() ? nothing : combine.apply(values);
      int resultWeight = weight.applyAsInt(result);
      if (topic.length() <= MAX_CACHED_TOPIC_LENGTH && resultWeight <= Math.max(1, maxWeight / 8)) {
        remember(its, new Cached<>(tenant, topic, result, resultWeight));
      }
      return result;
    }
  }

  private void remember(Tenant<V, R> its, Cached<R> entry) {
    while (cachedWeight + entry.weight > maxWeight) {
      evictOne();
    }
    if (clock.size() >= 2L * maxWeight) {
      clock.removeIf(old -> old.dead);
    }
    its.results.put(entry.topic, entry);
    its.index.put(entry.topic, entry);
    clock.add(entry);
    cached++;
    cachedWeight += entry.weight;
  }

  private void evictOne() {
    Cached<R> oldest = clock.remove();
    if (oldest.dead) {
      return;
    }
    if (oldest.recent) {
      oldest.recent = false;
      clock.add(oldest);
      return;
    }
    Tenant<V, R> its = tenants.get(oldest.tenant);
    if (its != null) {
      evictions++;
      forget(its, oldest);
    }
  }

  private void invalidate(Tenant<V, R> its, String pattern) {
    List<Cached<R>> stale = new ArrayList<>();
    its.index.match(pattern, stale::add);
    invalidations += stale.size();
    stale.forEach(entry -> forget(its, entry));
  }

  private void forget(Tenant<V, R> its, Cached<R> entry) {
    its.results.remove(entry.topic);
    its.index.remove(entry.topic);
    kill(entry);
  }

  private void kill(Cached<R> entry) {
    entry.dead = true;
    cached--;
    cachedWeight -= entry.weight;
  }
}
