package io.fjordmq.broker.limits;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The quotas of users or addresses that have connections, or had some moments ago. The number of
 * quotas is bounded; when there are too many, further keys of a network share a quota, and when
 * there are too many of these, all further keys with the same limits. Thread-safe.
 */
public final class QuotaTable {
  private static final long SWEEP_INTERVAL_MILLIS = 1_000;

  private final int maxKeys;
  private final int maxNetworks;
  private final ConcurrentHashMap<Slot, Entry> entries = new ConcurrentHashMap<>();
  private final AtomicLong sweptAtMillis = new AtomicLong();

  /**
   * What a quota is for.
   *
   * @param own the user or the address
   * @param network the network of the address; null if there is none
   * @param source where the limits come from, for example a tenant; there must be few of these
   */
  public record Key(String own, @Nullable String network, String source) {}

  /** Who shares a quota. */
  private enum Scope {
    ONE_KEY,
    NETWORK,
    SOURCE
  }

  private record Slot(Scope scope, String name) {}

  /** A quota that is in use until it is released. */
  public static final class Entry {
    private final Slot slot;
    private final ConnectionQuota quota;
    private int users; // guarded by the map

    private Entry(Slot slot, Supplier<ConnectionLimits> limits) {
      this.slot = slot;
      this.quota = new ConnectionQuota(limits);
    }

    public ConnectionQuota quota() {
      return quota;
    }
  }

  /**
   * @param maxKeys maximum number of quotas, before keys share some
   * @param maxNetworks maximum number of additional quotas of networks
   */
  public QuotaTable(int maxKeys, int maxNetworks) {
    this.maxKeys = maxKeys;
    this.maxNetworks = maxNetworks;
  }

  /**
   * Returns the quota of a key. The caller must call {@link #release} for it.
   *
   * @param limits supplies the current limits of a new quota
   */
  public Entry enter(Key key, Supplier<ConnectionLimits> limits, long nowMillis) {
    if (entries.size() >= maxKeys) {
      sweep(nowMillis);
    }
    return entries.compute(
        slotOf(key),
        (slot, known) -> {
          Entry entry = known == null ? new Entry(slot, limits) : known;
          entry.users++;
          return entry;
        });
  }

  private Slot slotOf(Key key) {
    int size = entries.size();
    Slot own = new Slot(Scope.ONE_KEY, key.own);
    if (size < maxKeys || entries.containsKey(own)) {
      return own;
    }
    if (key.network != null) {
      Slot network = new Slot(Scope.NETWORK, key.network);
      if (size < maxKeys + maxNetworks || entries.containsKey(network)) {
        return network;
      }
    }
    return new Slot(Scope.SOURCE, key.source);
  }

  /** Ends the use of a quota, which is forgotten if nothing has used it for a moment. */
  public void release(Entry used, long nowMillis) {
    entries.computeIfPresent(
        used.slot,
        (slot, entry) -> {
          entry.users--;
          return isUnused(entry, nowMillis) ? null : entry;
        });
  }

  /** Removes quotas that had to be remembered for a moment after their last use. */
  private void sweep(long nowMillis) {
    long last = sweptAtMillis.get();
    if (Math.abs(nowMillis - last) < SWEEP_INTERVAL_MILLIS
        || !sweptAtMillis.compareAndSet(last, nowMillis)) {
      return;
    }
    for (Slot slot : entries.keySet()) {
      entries.computeIfPresent(slot, (same, entry) -> isUnused(entry, nowMillis) ? null : entry);
    }
  }

  private static boolean isUnused(Entry entry, long nowMillis) {
    return entry.users == 0 && entry.quota.isUnused(nowMillis);
  }

  /** The number of quotas. */
  public int size() {
    return entries.size();
  }
}
