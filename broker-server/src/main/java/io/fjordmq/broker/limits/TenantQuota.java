package io.fjordmq.broker.limits;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** What the connections of one tenant use up on this node. Thread-safe, without locks. */
public final class TenantQuota {
  private static final long SECOND = 1_000_000;

  private final TenantSettings settings;
  private final AtomicInteger connections = new AtomicInteger();

  /**
   * The virtual scheduling form of a token bucket (GCRA): when a connection would be due if they
   * came evenly. It runs ahead of the clock by what was used of the second's worth; microseconds.
   */
  private final AtomicLong nextDue = new AtomicLong();

  public TenantQuota(TenantSettings settings) {
    this.settings = settings;
  }

  /**
   * Admits a connection, which {@link #release} gives back.
   *
   * @param replaces true if it takes the place of a connection that is there, which is about to end
   * @return the limit that stands against it; null if it is admitted
   */
  public @Nullable Limit admit(long nowMillis, boolean replaces) {
    if (!isInTime(nowMillis * 1_000)) {
      return Limit.CONNECTION_RATE;
    }
    int most = settings.maxConnections();
    if (connections.incrementAndGet() > most && most > 0 && !replaces) {
      connections.decrementAndGet();
      return Limit.CONNECTIONS;
    }
    return null;
  }

  private boolean isInTime(long now) {
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

  /** A connection that was admitted is gone. */
  public void release() {
    connections.decrementAndGet();
  }

  /** Connections at the moment. */
  public int connections() {
    return connections.get();
  }
}
