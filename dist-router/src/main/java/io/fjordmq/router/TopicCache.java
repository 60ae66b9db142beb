package io.fjordmq.router;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What was made of topics lately, of all tenants, in a bounded room. {@link #get} and {@link
 * #isWorthIt} may be called by any thread; all else is guarded by the lock of the table it belongs
 * to.
 *
 * <p>Who stays when it is full: topics get a second chance if they were asked for since the last
 * one (CLOCK), and a topic must be missed twice within a while to get in. So publishers with a
 * million topics, each used once in a while, neither drive out the hot ones nor pay for places they
 * would not keep.
 */
final class TopicCache<R> {
  /** Characters; a longer topic is matched anew each time, so that topics cannot fill the heap. */
  private static final int MAX_TOPIC_LENGTH = 1_024;

  private static final int MAX_MISSES_KEPT = 65_536;

  private final int maxWeight;

  /** Entries in the order they get their next chance; dead ones are left in for a while. */
  private final ArrayDeque<Entry<R>> clock = new ArrayDeque<>();

  /** Hashes of topics missed while full. Not guarded: a race admits a topic early or late. */
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

    /** Asked for again since the clock passed. Not guarded: a race loses a chance at worst. */
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

  /** What is remembered of the topic; null if nothing is. */
  @Nullable R get(Part<R> part, String topic) {
    Entry<R> entry = part.results.get(topic);
    if (entry == null) {
      return null;
    }
    if (!entry.recent) { // read first: a topic that is always hot must not be a contended write
      entry.recent = true;
    }
    return entry.result;
  }

  /** Whether a topic that was not found should be remembered. Counts it as missed. */
  boolean isWorthIt(String topic, int resultWeight) {
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

  void remember(Part<R> part, String topic, R result, int resultWeight) {
    if (part.results.containsKey(topic)) {
      return; // another thread was faster
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

  /** Forgets the topics that the pattern matches. */
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

  /** Cheaper than one by one if those that stay are few. They can be missed for a moment. */
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

  /** Forgets a tenant's topics, which nobody will ask for in this part again. */
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
