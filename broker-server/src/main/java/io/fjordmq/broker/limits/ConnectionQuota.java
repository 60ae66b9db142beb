package io.fjordmq.broker.limits;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Enforces the limits of all connections of a tenant, a user or an address on this node.
 * Thread-safe and lock-free.
 */
public final class ConnectionQuota {
  /**
   * Whether a connection is admitted.
   *
   * @param exceeded the limit that it would exceed; null if it is admitted
   * @param delayMillis how long it must wait
   */
  public record Admission(@Nullable Exceeded exceeded, long delayMillis) {
    private static final Admission NOW = new Admission(null, 0);
  }

  /** The limit that a connection would exceed. */
  public enum Exceeded {
    CONNECTIONS,
    CONNECTION_RATE
  }

  private final Supplier<ConnectionLimits> limits;
  private final AtomicInteger connections = new AtomicInteger();
  private final SharedRateLimit connectionRate = new SharedRateLimit();
  private final SharedRateLimit publishRate = new SharedRateLimit();

  /**
   * @param limits supplies the current limits; called for each connection
   */
  public ConnectionQuota(Supplier<ConnectionLimits> limits) {
    this.limits = limits;
  }

  /** The current limits. */
  public ConnectionLimits limits() {
    return limits.get();
  }

  /**
   * Admits a connection. The caller must call {@link #release} when an admitted connection closes.
   *
   * @param replaces whether the connection takes over an existing one, which is about to close
   * @param maxDelayMillis how long the connection may be delayed to keep to the rate limit
   */
  public Admission admit(long nowMillis, boolean replaces, long maxDelayMillis) {
    ConnectionLimits current = limits.get();
    int max = current.maxConnections();
    if (connections.incrementAndGet() > max && max > 0 && !replaces) {
      connections.decrementAndGet();
      return new Admission(Exceeded.CONNECTIONS, 0); // without using up the rate
    }
    if (current.connectionsPerSecond() == 0) {
      return Admission.NOW;
    }
    long delay = connectionRate.take(nowMillis, current.connectionsPerSecond(), maxDelayMillis);
    if (delay < 0) {
      connections.decrementAndGet();
      return new Admission(Exceeded.CONNECTION_RATE, 0);
    }
    return delay == 0 ? Admission.NOW : new Admission(null, delay);
  }

  /** Counts a connection that exists already, whatever the limits are. */
  public void admitExisting() {
    connections.incrementAndGet();
  }

  /** Records that an admitted connection has closed. */
  public void release() {
    connections.decrementAndGet();
  }

  /** The current number of connections. */
  public int connections() {
    return connections.get();
  }

  /** The rate of publishes from all connections. */
  public SharedRateLimit publishRate() {
    return publishRate;
  }

  /** Whether the quota would be the same if it were created anew. */
  boolean isUnused(long nowMillis) {
    return connections.get() == 0
        && connectionRate.isFull(nowMillis)
        && publishRate.isFull(nowMillis);
  }
}
