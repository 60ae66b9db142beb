package io.fjordmq.broker.session;

import io.fjordmq.broker.limits.ConnectionLimits;
import io.fjordmq.broker.limits.ConnectionQuota;
import io.fjordmq.broker.limits.Limit;
import io.fjordmq.broker.limits.QuotaTable;
import io.fjordmq.broker.limits.RateLimitedLog;
import io.fjordmq.broker.limits.TenantSettings;
import io.fjordmq.broker.protocol.Peer;
import io.fjordmq.broker.security.LoginFailures;
import io.fjordmq.retain.RetainQuota;
import io.fjordmq.retain.RetainStore.PutOutcome;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The limits of tenants and their quotas on this node. Thread-safe.
 *
 * <p>The shared limits apply to a client until it is authenticated.
 */
public final class Tenants {
  private static final Logger LOG = LoggerFactory.getLogger(Tenants.class);

  private final SessionObserver observer;
  private volatile Table table;

  /** The limits that are in effect together. */
  private record Table(
      TenantLimits shared, Map<String, TenantLimits> overrides, ConnectionLimits address) {}

  /** Maximum number of users and of addresses whose connections are tracked. */
  private static final int MAX_TRACKED = 100_000;

  /** Maximum number of networks that are tracked if there are too many addresses. */
  private static final int MAX_TRACKED_NETWORKS = 10_000;

  /** Separates the parts of a key; no name of a tenant contains it. */
  private static final char SEPARATOR = '\0';

  /**
   * The quotas by tenant. Every tenant that has ever connected has an entry; authenticators limit
   * the number of tenants.
   */
  private final ConcurrentHashMap<String, ConnectionQuota> quotas = new ConcurrentHashMap<>();

  private final QuotaTable users = new QuotaTable(MAX_TRACKED, 0);
  private final QuotaTable addresses = new QuotaTable(MAX_TRACKED, MAX_TRACKED_NETWORKS);
  private final RateLimitedLog refusals = new RateLimitedLog();
  private final InstantSource clock;

  /**
   * @param shared the limits of all tenants that do not have their own limits
   * @param overrides the limits of all other tenants, by tenant
   * @param address the limits of each address
   * @param clock measures rates; must never go backwards
   */
  public Tenants(
      TenantLimits shared,
      Map<String, TenantLimits> overrides,
      ConnectionLimits address,
      InstantSource clock,
      SessionObserver observer) {
    this.table = new Table(shared, Map.copyOf(overrides), address);
    this.clock = clock;
    this.observer = observer;
  }

  /**
   * Replaces all limits. Limits of tenants and of retained messages apply immediately; those of
   * clients apply to new connections, and {@link Sessions#applyLimits} applies them to others.
   */
  public void replace(
      TenantLimits shared, Map<String, TenantLimits> overrides, ConnectionLimits address) {
    table = new Table(shared, Map.copyOf(overrides), address);
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
  ConnectionQuota quota(String tenant) {
    ConnectionQuota quota = quotas.get(tenant);
    return quota == null
        ? quotas.computeIfAbsent(
            tenant, name -> new ConnectionQuota(() -> of(name).tenant().connections()))
        : quota;
  }

  /** The limits of each address. */
  ConnectionLimits addressLimits() {
    return table.address;
  }

  /** Returns the quota of a user, which must be released in {@link #users}. */
  QuotaTable.Entry enterUser(String tenant, String userName, long nowMillis) {
    String limitsOf = table.overrides.containsKey(tenant) ? tenant : "";
    return users.enter(
        new QuotaTable.Key(tenant + SEPARATOR + userName, null, limitsOf),
        () -> of(tenant).user(),
        nowMillis);
  }

  /** Returns the quota of an address, which must be released in {@link #addresses}. */
  QuotaTable.Entry enterAddress(InetAddress address, long nowMillis) {
    QuotaTable.Key key =
        new QuotaTable.Key(
            LoginFailures.keyOf(address),
            address instanceof Inet6Address ? LoginFailures.networkOf(address) : null,
            "");
    return addresses.enter(key, this::addressLimits, nowMillis);
  }

  QuotaTable users() {
    return users;
  }

  QuotaTable addresses() {
    return addresses;
  }

  long nowMillis() {
    return clock.millis();
  }

  /** Logs at a limited rate that a connection was refused because of a limit. */
  void logRefusal(Limit limit, Peer peer, @Nullable String clientId) {
    @Nullable String suppressed = refusals.permit();
    if (suppressed != null) {
      LOG.info(
          "Connection refused: limit reached{} limit={} client={} peer={}",
          suppressed,
          limit.key(),
          clientId,
          peer);
    }
  }

  /** Counts that a client of the tenant reached a limit. */
  void recordLimitReached(Limit limit, String tenant) {
    // Tenants that do not have their own limits are counted together, because their number is
    // unbounded.
    observer.onLimitReached(limit, table.overrides.containsKey(tenant) ? tenant : "");
  }
}
