package io.fjordmq.broker.limits;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Enforces a tenant's connection limits on this node. Thread-safe and lock-free. */
public final class TenantQuota {
  private static final long MICROS_PER_SECOND = 1_000_000;

  private final Supplier<TenantSettings> limits;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * The theoretical arrival time of GCRA (a token bucket in virtual time), in microseconds: the
   * time at which the next connection would be due at an even rate. It is ahead of the clock by the
   * portion of one second's budget that has been used.
   */
  private final AtomicLong nextDue = new AtomicLong();

  /**
   * @param limits supplies the current limits; called for each connection
   */
  public TenantQuota(Supplier<TenantSettings> limits) {
    this.limits = limits;
  }

  /**
   * Admits a connection. The caller must call {@link #release} when an admitted connection closes.
   *
   * @param replaces whether the connection takes over an existing one, which is about to close
   * @return the limit that would be exceeded; null if the connection is admitted
   */
  public @Nullable Limit admit(long nowMillis, boolean replaces) {
    TenantSettings settings = limits.get();
    if (!isWithinRate(nowMillis * 1_000, settings.connectionsPerSecond())) {
      return Limit.CONNECTION_RATE;
    }
    int max = settings.maxConnections();
    if (connections.incrementAndGet() > max && max > 0 && !replaces) {
      connections.decrementAndGet();
      return Limit.CONNECTIONS;
    }
    return null;
  }

  private boolean isWithinRate(long now, int perSecond) {
    if (perSecond == 0) {
      return true;
    }
    long interval = MICROS_PER_SECOND / perSecond;
    while (true) {
      long due = nextDue.get();
      // A due time more than a second ahead means that the clock was set back.
      long from = due < now || due > now + MICROS_PER_SECOND + interval ? now : due;
      if (from + interval > now + MICROS_PER_SECOND) {
        return false;
      }
      if (nextDue.compareAndSet(due, from + interval)) {
        return true;
      }
    }
  }

  /** Records that an admitted connection has closed. */
  public void release() {
    connections.decrementAndGet();
  }

  /** The current number of connections. */
  public int connections() {
    return connections.get();
  }
}
