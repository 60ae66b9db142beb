package io.fjordmq.router;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A bounded cache of the results for topics, for all tenants. {@link #get} and {@link #isWorthIt}
 * may be called by any thread; everything else is guarded by the lock of the {@link FilterTable}.
 *
 * <p>Eviction uses the CLOCK algorithm: a topic gets a second chance if it was used since the clock
 * last passed it. While the cache is full, a topic is admitted only after two misses within a short
 * time. So publishers with a million rarely used topics neither evict hot topics nor pay for
 * entries that would not stay.
 */
final class TopicCache<R> {
  /** In characters; longer topics are never cached, so that topics cannot fill the heap. */
  private static final int MAX_TOPIC_LENGTH = 1_024;

  private static final int MAX_MISSES_KEPT = 65_536;

  private final int maxWeight;

  /** Entries in CLOCK order; removed ones stay in it for a while, marked dead. */
  private final ArrayDeque<Entry<R>> clock = new ArrayDeque<>();

  /** Hashes of topics missed while full. Not guarded: a race only admits a topic early or late. */
  private final int[] missed;

  private int size;
  private long weight;
  private volatile boolean full;
  private long invalidations;
  private long evictions;

  /** The topics of one tenant. */
  static final class Part<R> {
    private final ConcurrentHashMap<String, Entry<R>> results = new ConcurrentHashMap<>();
    private TopicIndex<Entry<R>> index = new TopicIndex<>();
  }

  private static final class Entry<R> {
    final Part<R> part;
    final String topic;
    final R result;
    final int weight;
    boolean dead;

    /** Used since the clock passed. Not guarded: a race only loses a second chance. */
    boolean recent;

    Entry(Part<R> part, String topic, R result, int weight) {
      this.part = part;
      this.topic = topic;
      this.result = result;
      this.weight = weight;
    }
  }

  TopicCache(int maxWeight) {
    this.maxWeight = maxWeight;
    this.missed = new int[Integer.highestOneBit(Math.min(maxWeight, MAX_MISSES_KEPT))];
  }

  /** The cached result for a topic, or null. */
  @Nullable R get(Part<R> part, String topic) {
    Entry<R> entry = part.results.get(topic);
    if (entry == null) {
      return null;
    }
    if (!entry.recent) { // read first, to avoid contended writes for hot topics
      entry.recent = true;
    }
    return entry.result;
  }

  /** Whether a missed topic should be cached. Records the miss. */
  boolean shouldCache(String topic, int resultWeight) {
    if (topic.length() > MAX_TOPIC_LENGTH || resultWeight > Math.max(1, maxWeight / 8)) {
      return false;
    }
    if (!full) {
      return true;
    }
    int hash = topic.hashCode() * 0x9E3779B1;
    int slot = (hash >>> 7) & (missed.length - 1);
    boolean again = missed[slot] == hash;
    missed[slot] = hash;
    return again;
  }

  void put(Part<R> part, String topic, R result, int resultWeight) {
    if (part.results.containsKey(topic)) {
      return; // cached by another thread
    }
    while (weight + resultWeight > maxWeight) {
      evictOne();
    }
    if (clock.size() >= 2L * maxWeight) {
      clock.removeIf(old -> old.dead);
    }
    Entry<R> entry = new Entry<>(part, topic, result, resultWeight);
    part.results.put(topic, entry);
    part.index.put(topic, entry);
    clock.add(entry);
    size++;
    weight += resultWeight;
    full = weight >= maxWeight;
  }

  private void evictOne() {
    Entry<R> oldest = clock.remove();
    if (oldest.dead) {
      return;
    }
    if (oldest.recent) {
      oldest.recent = false;
      clock.add(oldest);
      return;
    }
    evictions++;
    forget(oldest);
  }

  /** Removes the topics that the pattern matches. */
  void invalidate(Part<R> part, String pattern) {
    List<Entry<R>> stale = new ArrayList<>();
    part.index.match(pattern, stale::add);
    invalidations += stale.size();
    if (stale.size() > part.results.size() / 2) {
      forgetAllBut(part, stale);
    } else {
      stale.forEach(this::forget);
    }
  }

  /** Rebuilds the part, which is cheaper if few topics remain; these may miss for a moment. */
  private void forgetAllBut(Part<R> part, List<Entry<R>> stale) {
    stale.forEach(this::kill);
    List<Entry<R>> left = part.results.values().stream().filter(entry -> !entry.dead).toList();
    part.results.clear();
    part.index = new TopicIndex<>();
    for (Entry<R> entry : left) {
      part.results.put(entry.topic, entry);
      part.index.put(entry.topic, entry);
    }
  }

  /** Removes all topics of a tenant; the part is not used afterwards. */
  void drop(Part<R> part) {
    part.results.values().forEach(this::kill);
  }

  private void forget(Entry<R> entry) {
    entry.part.results.remove(entry.topic);
    entry.part.index.remove(entry.topic);
    kill(entry);
  }

  private void kill(Entry<R> entry) {
    entry.dead = true;
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
