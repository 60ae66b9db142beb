package io.fjordmq.broker.limits;

import java.util.concurrent.atomic.AtomicLong;

/**
 * A rate limit that several connections share: a token bucket that holds the tokens of one second.
 * Times are those of a clock that never goes backwards. Thread-safe and lock-free.
 */
public final class SharedRateLimit {
  private static final long NANOS_PER_SECOND = 1_000_000_000;
  private static final long NANOS_PER_MILLI = 1_000_000;

  /**
   * The theoretical arrival time of GCRA (a token bucket in virtual time), in nanoseconds: the time
   * at which the next event would be due at an even rate. It is ahead of the clock by the portion
   * of one second's budget that has been used.
   */
  private final AtomicLong nextDue = new AtomicLong(Long.MIN_VALUE);

  /**
   * Takes a token if there is one, or will be one soon.
   *
   * @param perSecond the rate, at least 1
   * @param maxDelayMillis how long the caller would wait
   * @return the number of milliseconds that the caller must wait; negative if there is no token in
   *     this time
   */
  public long take(long nowMillis, int perSecond, long maxDelayMillis) {
    long now = nowMillis * NANOS_PER_MILLI;
    long interval = Math.max(1, NANOS_PER_SECOND / perSecond);
    while (true) {
      long due = nextDue.get();
      long next = Math.max(due, now) + interval;
      long delay = Math.max(0, next - now - NANOS_PER_SECOND);
      if (delay > maxDelayMillis * NANOS_PER_MILLI) {
        return -1;
      }
      if (nextDue.compareAndSet(due, next)) {
        return (delay + NANOS_PER_MILLI - 1) / NANOS_PER_MILLI;
      }
    }
  }

  /**
   * Takes tokens for events that have already happened. If there are too few, the bucket goes into
   * debt.
   *
   * @param perSecond the rate, at least 1
   */
  public void charge(long nowMillis, int events, int perSecond) {
    long now = nowMillis * NANOS_PER_MILLI;
    long cost = NANOS_PER_SECOND * events / perSecond;
    nextDue.updateAndGet(due -> Math.max(due, now) + cost);
  }

  /** Whether the bucket is in debt. */
  public boolean isOverdrawn(long nowMillis) {
    long now = nowMillis * NANOS_PER_MILLI;
    return nextDue.get() > now + NANOS_PER_SECOND;
  }

  /** Whether the bucket is full, so that nothing would be lost if it were forgotten. */
  boolean isFull(long nowMillis) {
    return nextDue.get() <= nowMillis * NANOS_PER_MILLI;
  }
}
