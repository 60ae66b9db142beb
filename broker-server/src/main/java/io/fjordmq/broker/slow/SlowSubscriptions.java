package io.fjordmq.broker.slow;

import io.fjordmq.api.Topic;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

/**
 * The subscriptions of this node with the highest delivery latency, in bounded memory. Thread-safe.
 * Reporting a latency costs one comparison unless it is among the highest.
 */
public final class SlowSubscriptions {
  private final SlowSubscriptionSettings settings;
  private final long thresholdMillis;
  // Guarded by itself.
  private final Map<Key, Entry> entries = new HashMap<>();

  /** The lowest latency in a full list; lower ones need no lock. */
  private volatile long floorMillis = -1;

  /** When the next entry may expire; until then, the floor is valid. */
  private volatile long floorUntilMillis;

  private record Key(String tenant, String clientId, String topic) {}

  private static final class Entry {
    private long latencyMillis;
    private long updatedAtMillis;
  }

  public SlowSubscriptions(SlowSubscriptionSettings settings) {
    this.settings = settings;
    this.thresholdMillis =
        settings.threshold().isZero() ? Long.MAX_VALUE : settings.threshold().toMillis();
  }

  /** Returns a list that measures nothing. */
  public static SlowSubscriptions disabled() {
    SlowSubscriptionSettings defaults = SlowSubscriptionSettings.DEFAULTS;
    return new SlowSubscriptions(
        new SlowSubscriptionSettings(Duration.ZERO, defaults.maxEntries(), defaults.expiry()));
  }

  /** Whether latencies should be measured at all. */
  public boolean isEnabled() {
    return thresholdMillis != Long.MAX_VALUE;
  }

  /**
   * Reports the delivery latency of a message: from accepting it from the publisher until the
   * client has acknowledged it or, with QoS 0, until it was sent. Called on event loops.
   *
   * @param nowMillis the current time, in epoch milliseconds
   */
  public void report(
      String tenant, String clientId, Topic topic, long latencyMillis, long nowMillis) {
    if (latencyMillis < thresholdMillis
        || (latencyMillis <= floorMillis && nowMillis < floorUntilMillis)) {
      return;
    }
    add(new Key(tenant, clientId, topic.name()), latencyMillis, nowMillis);
  }

  private void add(Key key, long latencyMillis, long nowMillis) {
    synchronized (entries) {
      Entry entry = entries.get(key);
      if (entry == null) {
        removeExpired(nowMillis);
        entry = new Entry();
        entries.put(key, entry);
      }
      entry.latencyMillis = Math.max(entry.latencyMillis, latencyMillis);
      entry.updatedAtMillis = nowMillis;
      if (entries.size() > settings.maxEntries()) {
        entries.remove(fastest());
      }
      updateFloor();
    }
  }

  private Key fastest() {
    return Objects.requireNonNull(
        entries.entrySet().stream()
            .min(Comparator.comparingLong(entry -> entry.getValue().latencyMillis))
            .map(Map.Entry::getKey)
            .orElse(null));
  }

  private void updateFloor() {
    if (entries.size() < settings.maxEntries()) {
      floorMillis = -1;
      return;
    }
    long lowest = Long.MAX_VALUE;
    long oldest = Long.MAX_VALUE;
    for (Entry entry : entries.values()) {
      lowest = Math.min(lowest, entry.latencyMillis);
      oldest = Math.min(oldest, entry.updatedAtMillis);
    }
    floorUntilMillis = oldest + settings.expiry().toMillis();
    floorMillis = lowest;
  }

  private void removeExpired(long nowMillis) {
    long since = nowMillis - settings.expiry().toMillis();
    entries.values().removeIf(entry -> entry.updatedAtMillis <= since);
  }

  /** Returns the entries that have not expired, slowest first. */
  public List<SlowSubscription> list(long nowMillis) {
    synchronized (entries) {
      removeExpired(nowMillis);
      updateFloor();
      return entries.entrySet().stream()
          .map(
              entry ->
                  new SlowSubscription(
                      entry.getKey().tenant,
                      entry.getKey().clientId,
                      entry.getKey().topic,
                      entry.getValue().latencyMillis,
                      entry.getValue().updatedAtMillis))
          .sorted(SlowSubscription.SLOWEST_FIRST)
          .toList();
    }
  }

  /** Removes the entries of the tenants that the condition accepts. */
  public void clear(Predicate<String> tenants) {
    synchronized (entries) {
      entries.keySet().removeIf(key -> tenants.test(key.tenant));
      updateFloor();
    }
  }
}
