package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.TenantQuota;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainStore.PutOutcome;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The limits of tenants and their quotas on this node. Thread-safe.
 *
 * <p>The shared limits apply to a client until it is authenticated.
 */
public final class Tenants {
  private final SessionObserver observer;
  private volatile Table table;

  /** The limits that are in effect together. */
  private record Table(TenantLimits shared, Map<String, TenantLimits> overrides) {}

  /**
   * The quotas by tenant. Every tenant that has ever connected has an entry; authenticators limit
   * the number of tenants.
   */
  private final ConcurrentHashMap<String, TenantQuota> quotas = new ConcurrentHashMap<>();

  /**
   * @param shared the limits of all tenants that do not have their own limits
   * @param overrides the limits of all other tenants, by tenant
   */
  public Tenants(
      TenantLimits shared, Map<String, TenantLimits> overrides, SessionObserver observer) {
    this.table = new Table(shared, Map.copyOf(overrides));
    this.observer = observer;
  }

  /**
   * Replaces all limits. Limits of tenants and of retained messages apply immediately; those of
   * clients apply to new connections, and {@link Sessions#applyLimits} applies them to others.
   */
  public void replace(TenantLimits shared, Map<String, TenantLimits> overrides) {
    table = new Table(shared, Map.copyOf(overrides));
  }

  /** The limits of all tenants that do not have their own limits. */
  public TenantLimits shared() {
    return table.shared;
  }

  /** The limits of a tenant. */
  public TenantLimits of(String tenant) {
    Table current = table;
    return current.overrides.getOrDefault(tenant, current.shared);
  }

  /**
   * The default tenant, the tenants that have had clients on this node, and those with limits of
   * their own.
   */
  public Set<String> known() {
    Set<String> known = new TreeSet<>(table.overrides.keySet());
    known.add("");
    known.addAll(quotas.keySet());
    return known;
  }

  /** The limits of retained messages by tenant, for the retain store. */
  public RetainQuota retainQuota() {
    return new RetainQuota() {
      @Override
      public Limits of(String tenant) {
        TenantSettings limits = Tenants.this.of(tenant).tenant();
        return new Limits(limits.maxRetainedMessages(), limits.maxRetainedBytes());
      }

      @Override
      public void onRejected(String tenant, PutOutcome why) {
        boolean byBytes = why == PutOutcome.REFUSED_BYTES;
        recordLimitReached(byBytes ? Limit.RETAINED_BYTES : Limit.RETAINED_MESSAGES, tenant);
      }
    };
  }

  /** The quota of the tenant. */
  TenantQuota quota(String tenant) {
    TenantQuota quota = quotas.get(tenant);
    return quota == null
        ? quotas.computeIfAbsent(tenant, name -> new TenantQuota(() -> of(name).tenant()))
        : quota;
  }

  /** Counts that a client of the tenant reached a limit. */
  void recordLimitReached(Limit limit, String tenant) {
    // Tenants that do not have their own limits are counted together, because their number is
    // unbounded.
    observer.onLimitReached(limit, table.overrides.containsKey(tenant) ? tenant : "");
  }
}
