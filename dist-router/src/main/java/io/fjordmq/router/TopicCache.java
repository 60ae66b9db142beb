package io.fjordmq.router;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of the results for topics, for all tenants. {@link #get} and {@link #shouldCache}
 * may be called by any thread; everything else is guarded by the lock of the {@link FilterTable}.
 *
 * <p>Eviction uses the CLOCK algorithm: a topic gets a second chance if it was used since the clock
 * last passed it. While the cache is full, a topic is admitted only after two misses within a short
 * time. Therefore publishers with a million rarely used topics neither evict hot topics nor pay for
 * entries that would not stay.
 */
final class TopicCache<R> {
  /** In characters; longer topics are never cached, so that topics cannot fill the heap. */
  private static final int MAX_TOPIC_LENGTH = 1_024;

  private static final int MAX_MISSES_KEPT = 65_536;

  private final int maxWeight;

  /** Entries in CLOCK order; removed ones stay in it for a while. */
  private final ArrayDeque<Entry<R>> clock = new ArrayDeque<>();

  /** Hashes of topics missed while full. Not guarded: a race only admits a topic early or late. */
  private final int[] missed;

  private int size;
  private long weight;
  private volatile boolean full;
  private long invalidations;
  private long evictions;

  /** The topics of one tenant. */
  static final class TenantPart<R> {
    private final ConcurrentHashMap<String, Entry<R>> results = new ConcurrentHashMap<>();
    private TopicIndex<Entry<R>> index = new TopicIndex<>();
  }

  private static final class Entry<R> {
    final TenantPart<R> tenantPart;
    final String topic;
    final R result;
    final int weight;
    boolean removed;

    /**
     * Whether the topic was used since the clock hand last passed. Not guarded: a race only loses a
     * second chance.
     */
    boolean referenced;

    Entry(TenantPart<R> tenantPart, String topic, R result, int weight) {
      this.tenantPart = tenantPart;
      this.topic = topic;
      this.result = result;
      this.weight = weight;
    }
  }

  TopicCache(int maxWeight) {
    this.maxWeight = maxWeight;
    this.missed = new int[Integer.highestOneBit(Math.min(maxWeight, MAX_MISSES_KEPT))];
  }

  /** Returns the cached result for a topic, or null. */
  @Nullable R get(TenantPart<R> tenantPart, String topic) {
    Entry<R> entry = tenantPart.results.get(topic);
    if (entry == null) {
      return null;
    }
    if (!entry.referenced) { // read first, to avoid contended writes for hot topics
      entry.referenced = true;
    }
    return entry.result;
  }

  /** Returns whether a missed topic should be cached. Records the miss. */
  boolean shouldCache(String topic, int resultWeight) {
    if (topic.length() > MAX_TOPIC_LENGTH || resultWeight > Math.max(1, maxWeight / 8)) {
      return false;
    }
    if (!full) {
      return true;
    }
    int hash = topic.hashCode() * 0x9E3779B1;
    int slot = (hash >>> 7) & (missed.length - 1);
    boolean missedBefore = missed[slot] == hash;
    missed[slot] = hash;
    return missedBefore;
  }

  void put(TenantPart<R> tenantPart, String topic, R result, int resultWeight) {
    if (tenantPart.results.containsKey(topic)) {
      return; // cached by another thread
    }
    while (weight + resultWeight > maxWeight) {
      evictOne();
    }
    if (clock.size() >= 2L * maxWeight) {
      clock.removeIf(old -> old.removed);
    }
    Entry<R> entry = new Entry<>(tenantPart, topic, result, resultWeight);
    tenantPart.results.put(topic, entry);
    tenantPart.index.put(topic, entry);
    clock.add(entry);
    size++;
    weight += resultWeight;
    full = weight >= maxWeight;
  }

  private void evictOne() {
    Entry<R> oldest = clock.remove();
    if (oldest.removed) {
      return;
    }
    if (oldest.referenced) {
      oldest.referenced = false;
      clock.add(oldest);
      return;
    }
    evictions++;
    remove(oldest);
  }

  /** Removes the topics that the pattern matches. */
  void invalidate(TenantPart<R> tenantPart, String pattern) {
    List<Entry<R>> stale = new ArrayList<>();
    tenantPart.index.match(pattern, stale::add);
    invalidations += stale.size();
    if (stale.size() > tenantPart.results.size() / 2) {
      rebuildWithout(tenantPart, stale);
    } else {
      stale.forEach(this::remove);
    }
  }

  /** Rebuilds the part, which is cheap if few topics remain; lookups of these may miss briefly. */
  private void rebuildWithout(TenantPart<R> tenantPart, List<Entry<R>> stale) {
    stale.forEach(this::markRemoved);
    List<Entry<R>> remaining =
        tenantPart.results.values().stream().filter(entry -> !entry.removed).toList();
    tenantPart.results.clear();
    tenantPart.index = new TopicIndex<>();
    for (Entry<R> entry : remaining) {
      tenantPart.results.put(entry.topic, entry);
      tenantPart.index.put(entry.topic, entry);
    }
  }

  /** Removes all topics of a tenant; the part is not used afterwards. */
  void drop(TenantPart<R> tenantPart) {
    tenantPart.results.values().forEach(this::markRemoved);
  }

  private void remove(Entry<R> entry) {
    entry.tenantPart.results.remove(entry.topic);
    entry.tenantPart.index.remove(entry.topic);
    markRemoved(entry);
  }

  private void markRemoved(Entry<R> entry) {
    entry.removed = true;
    size--;
    weight -= entry.weight;
    full = weight >= maxWeight;
  }

  int size() {
    return size;
  }

  long invalidations() {
    return invalidations;
  }

  long evictions() {
    return evictions;
  }
}
