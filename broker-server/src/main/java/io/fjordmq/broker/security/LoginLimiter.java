package io.fjordmq.broker.security;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts failed logins per address to slow down password guessing. IPv6 addresses are counted by
 * their first 64 bits, because a client usually controls all addresses of a /64 network.
 * Thread-safe.
 */
final class LoginLimiter {
  private static final int NETWORK_BYTES = 8;

  private record Network(String bytes) {}

  private static final class Failures {
    private final long since;
    private int count;

    private Failures(long since) {
      this.since = since;
    }
  }

  private final SecuritySettings settings;
  private final InstantSource clock;
  private final SecurityObserver observer;
  // The failures by network, ordered by the time of the first failure, oldest first.
  private final Map<Network, Failures> failures = new LinkedHashMap<>();

  LoginLimiter(SecuritySettings settings, InstantSource clock, SecurityObserver observer) {
    this.settings = settings;
    this.clock = clock;
    this.observer = observer;
  }

  /** Whether the address is blocked because of too many failed logins. */
  boolean isBlocked(@Nullable InetAddress address) {
    if (address == null || settings.maxLoginFailures() == 0) {
      return false;
    }
    synchronized (failures) {
      Failures entry = failures.get(network(address));
      return entry != null
          && entry.count >= settings.maxLoginFailures()
          && !isExpired(entry, clock.millis());
    }
  }

  /** Records a failed login. */
  void recordFailure(@Nullable InetAddress address) {
    if (address == null || settings.maxLoginFailures() == 0) {
      return;
    }
    Network network = network(address);
    long now = clock.millis();
    synchronized (failures) {
      int before = failures.size();
      Failures entry = failures.get(network);
      if (entry == null || isExpired(entry, now)) {
        failures.remove(network);
        entry = new Failures(now);
        failures.put(network, entry);
        evict(now);
      }
      entry.count++;
      observer.addTrackedAddresses(failures.size() - before);
    }
  }

  private void evict(long now) {
    Iterator<Failures> oldest = failures.values().iterator();
    while (oldest.hasNext()) {
      boolean tooMany = failures.size() > settings.maxLoginAddresses();
      if (!isExpired(oldest.next(), now) && !tooMany) {
        return;
      }
      oldest.remove();
    }
  }

  private boolean isExpired(Failures entry, long now) {
    return now - entry.since >= settings.loginFailureWindow().toMillis();
  }

  private static Network network(InetAddress address) {
    byte[] bytes = address.getAddress();
    byte[] first = address instanceof Inet6Address ? Arrays.copyOf(bytes, NETWORK_BYTES) : bytes;
    return new Network(Arrays.toString(first));
  }
}
