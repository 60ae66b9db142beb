package io.fjordmq.broker.limits;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The part of a tenant's limits that its connections use on this node. Thread-safe, without locks.
 */
public final class TenantQuota {
  private static final long SECOND = 1_000_000;

  private final TenantSettings settings;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * The theoretical arrival time of GCRA, a token bucket in virtual time, in microseconds: when the
   * next connection would be due at an even rate. It is ahead of the clock by the used part of one
   * second's budget.
   */
  private final AtomicLong nextDue = new AtomicLong();

  public TenantQuota(TenantSettings settings) {
    this.settings = settings;
  }

  /**
   * Admits a connection, which must be given back with {@link #release}.
   *
   * @param replaces true if it takes over an existing connection, which is about to close
   * @return the limit that is exceeded; null if it is admitted
   */
  public @Nullable Limit admit(long nowMillis, boolean replaces) {
    if (!isWithinRate(nowMillis * 1_000)) {
      return Limit.CONNECTION_RATE;
    }
    int max = settings.maxConnections();
    if (connections.incrementAndGet() > max && max > 0 && !replaces) {
      connections.decrementAndGet();
      return Limit.CONNECTIONS;
    }
    return null;
  }

  private boolean isWithinRate(long now) {
    if (settings.connectionsPerSecond() == 0) {
      return true;
    }
    long interval = SECOND / settings.connectionsPerSecond();
    while (true) {
      long due = nextDue.get();
      // More than a second ahead means that the clock was set back.
      long from = due < now || due > now + SECOND + interval ? now : due;
      if (from + interval > now + SECOND) {
        return false;
      }
      if (nextDue.compareAndSet(due, from + interval)) {
        return true;
      }
    }
  }

  /** An admitted connection has closed. */
  public void release() {
    connections.decrementAndGet();
  }

  /** Current number of connections. */
  public int connections() {
    return connections.get();
  }
}
