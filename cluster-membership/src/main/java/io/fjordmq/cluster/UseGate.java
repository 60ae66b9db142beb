package io.fjordmq.cluster;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the threads that use a resource, so that it can be closed safely. {@link #shut} admits no
 * further threads and waits, for a limited time, until all have left. Thread-safe; entering does
 * not block.
 *
 * <pre>
 *   if (!gate.enter()) { throw closed(); }
 *   try { use(); } finally { gate.leave(); }
 * </pre>
 *
 * <p>Unlike with a lock, a thread that dies inside, or cannot leave because its stack overflowed,
 * delays closing only by the given timeout.
 */
public final class UseGate {
  private static final long POLL_NANOS = 100_000;

  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean shut;

  /**
   * Enters the gate. Returns false if it is shut; otherwise the caller must call {@link #leave}.
   */
  public boolean enter() {
    inside.incrementAndGet();
    if (shut) {
      inside.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Leaves the gate. Must follow each successful {@link #enter}. */
  public void leave() {
    inside.decrementAndGet();
  }

  /** Returns whether {@link #shut} was called. */
  public boolean isShut() {
    return shut;
  }

  /** Returns the number of threads that have entered and not left yet. */
  public int threadsInside() {
    return inside.get();
  }

  /**
   * Admits no further threads and waits until none is inside. A thread inside must not call it.
   *
   * @return false if a thread is still inside after the timeout
   */
  public boolean shut(Duration timeout) {
    shut = true;
    long deadline = System.nanoTime() + timeout.toNanos();
    while (inside.get() > 0) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
