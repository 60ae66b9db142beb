package io.fjordmq.broker.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Counts failed logins by a key, such as an address or a user name, to slow down password guessing.
 * Bounded: when too many keys are tracked, the oldest is forgotten. Thread-safe.
 */
public final class LoginFailures {
  private static final int IPV6_CLIENT_BYTES = 8;
  private static final int IPV6_NETWORK_BYTES = 6;
  private static final int IPV4_NETWORK_BYTES = 3;

  private final int maxFailures;
  private final Duration window;
  private final int maxKeys;
  private final InstantSource clock;
  // Ordered by the time of the first failure, oldest first.
  private final Map<String, Failures> byKey = new LinkedHashMap<>();

  private static final class Failures {
    private final long since;
    private int count;

    private Failures(long since) {
      this.since = since;
    }
  }

  /**
   * @param maxFailures number of failures within the window after which a key is blocked until the
   *     window has passed; 0 for no limit
   * @param maxKeys maximum number of keys that are tracked
   * @param clock must never go backwards
   */
  public LoginFailures(int maxFailures, Duration window, int maxKeys, InstantSource clock) {
    this.maxFailures = maxFailures;
    this.window = window;
    this.maxKeys = maxKeys;
    this.clock = clock;
  }

  /**
   * Returns the key of an address. IPv6 addresses share the key of their first 64 bits, because a
   * client usually controls its whole network.
   */
  public static String keyOf(InetAddress address) {
    byte[] bytes = address.getAddress();
    byte[] first =
        address instanceof Inet6Address ? Arrays.copyOf(bytes, IPV6_CLIENT_BYTES) : bytes;
    return Arrays.toString(first);
  }

  /**
   * Returns the key of the network of an address: its first 24 bits for IPv4, and 48 bits for IPv6,
   * which is what a provider usually assigns to a site.
   */
  public static String networkOf(InetAddress address) {
    boolean ipv6 = address instanceof Inet6Address;
    return Arrays.toString(
        Arrays.copyOf(address.getAddress(), ipv6 ? IPV6_NETWORK_BYTES : IPV4_NETWORK_BYTES));
  }

  /** The number of tracked keys. */
  int size() {
    synchronized (byKey) {
      return byKey.size();
    }
  }

  /** Returns whether the key is blocked because of too many failed logins. */
  public boolean isBlocked(String key) {
    if (maxFailures == 0) {
      return false;
    }
    synchronized (byKey) {
      Failures entry = byKey.get(key);
      return entry != null && entry.count >= maxFailures && !isExpired(entry, clock.millis());
    }
  }

  /**
   * Records a failed login.
   *
   * @return by how much the number of tracked keys has changed
   */
  public int record(String key) {
    if (maxFailures == 0) {
      return 0;
    }
    long now = clock.millis();
    synchronized (byKey) {
      int before = byKey.size();
      Failures entry = byKey.get(key);
      if (entry == null || isExpired(entry, now)) {
        byKey.remove(key);
        entry = new Failures(now);
        byKey.put(key, entry);
        evict(now);
      }
      entry.count++;
      return byKey.size() - before;
    }
  }

  private void evict(long now) {
    Iterator<Failures> oldest = byKey.values().iterator();
    while (oldest.hasNext()) {
      boolean tooMany = byKey.size() > maxKeys;
      if (!isExpired(oldest.next(), now) && !tooMany) {
        return;
      }
      oldest.remove();
    }
  }

  private boolean isExpired(Failures entry, long now) {
    return now - entry.since >= window.toMillis();
  }
}
