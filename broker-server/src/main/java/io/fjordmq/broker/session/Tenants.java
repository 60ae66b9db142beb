package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.TenantQuota;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainStore.PutOutcome;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The tenants of a node: whose limits are whose, and what they have used of them. Thread-safe.
 *
 * <p>Before a client has said who it is, the limits that all tenants share apply.
 */
public final class Tenants {
  private final TenantLimits shared;
  private final Map<String, TenantLimits> own;
  private final SessionObserver observer;

  /** One for each tenant that ever connected: as many as the authenticators know. */
  private final ConcurrentHashMap<String, TenantQuota> quotas = new ConcurrentHashMap<>();

  /**
   * @param shared of every tenant that has none of its own
   * @param own by tenant
   */
  public Tenants(TenantLimits shared, Map<String, TenantLimits> own, SessionObserver observer) {
    this.shared = shared;
    this.own = Map.copyOf(own);
    this.observer = observer;
  }

  /** The limits of every tenant that has none of its own. */
  public TenantLimits shared() {
    return shared;
  }

  /** The limits of a tenant. */
  public TenantLimits of(String tenant) {
    return own.getOrDefault(tenant, shared);
  }

  /** What the retain store asks: how much each tenant may have retained. */
  public RetainQuota retained() {
    return new RetainQuota() {
      @Override
      public Limits of(String tenant) {
        TenantSettings limits = Tenants.this.of(tenant).tenant();
        return new Limits(limits.maxRetainedMessages(), limits.maxRetainedBytes());
      }

      @Override
      public void refused(String tenant, PutOutcome why) {
        boolean byBytes = why == PutOutcome.REFUSED_BYTES;
        reached(byBytes ? Limit.RETAINED_BYTES : Limit.RETAINED_MESSAGES, tenant);
      }
    };
  }

  /** What the tenant has used. */
  TenantQuota quota(String tenant) {
    TenantQuota quota = quotas.get(tenant);
    return quota == null
        ? quotas.computeIfAbsent(tenant, name -> new TenantQuota(of(name).tenant()))
        : quota;
  }

  /** Counts that a client of the tenant has reached a limit. */
  void reached(Limit limit, String tenant) {
    // Tenants without limits of their own are counted together: there may be any number.
    observer.limitReached(limit, own.containsKey(tenant) ? tenant : "");
  }
}
