package io.fjordmq.broker.providers;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * Refuses calls for a while after many consecutive failures. Then it lets a single call pass: if
 * the call succeeds, the circuit breaker closes, otherwise it stays open. Thread-safe.
 */
final class CircuitBreaker {
  /** How the state changed. */
  enum Change {
    NONE,
    OPENED,
    CLOSED
  }

  private final int maxFailures;
  private final long openNanos;
  private final LongSupplier nanoTime;
  private int failures;
  private boolean open;
  private long openUntil;
  private boolean probing;

  /**
   * @param maxFailures number of consecutive failures after which it opens; 0 for never
   */
  CircuitBreaker(int maxFailures, Duration openTime, LongSupplier nanoTime) {
    this.maxFailures = maxFailures;
    this.openNanos = openTime.toNanos();
    this.nanoTime = nanoTime;
  }

  /** Whether a call would be refused now. */
  synchronized boolean refuses() {
    return open && (probing || nanoTime.getAsLong() - openUntil < 0);
  }

  /**
   * Requests permission for a call, whose outcome must then be reported.
   *
   * @return false if the call is refused
   */
  synchronized boolean tryBegin() {
    if (refuses()) {
      return false;
    }
    probing = open;
    return true;
  }

  synchronized Change onSuccess() {
    failures = 0;
    probing = false;
    if (!open) {
      return Change.NONE;
    }
    open = false;
    return Change.CLOSED;
  }

  synchronized Change onFailure() {
    probing = false;
    failures++;
    if (maxFailures == 0 || failures < maxFailures) {
      return Change.NONE;
    }
    openUntil = nanoTime.getAsLong() + openNanos;
    if (open) {
      return Change.NONE;
    }
    open = true;
    return Change.OPENED;
  }

  /** A call that had permission was not made. */
  synchronized void onNotCalled() {
    probing = false;
  }

  synchronized boolean isOpen() {
    return open;
  }
}
