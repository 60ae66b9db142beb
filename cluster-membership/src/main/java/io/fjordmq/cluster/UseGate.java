package io.fjordmq.cluster;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * Counts the threads that use a resource, so that it can be closed. {@link #shut} admits no more
 * threads and waits, for a limited time, until all have left. Thread-safe; entering does not block.
 *
 * <pre>
 *   if (!gate.enter()) { throw closed(); }
 *   try { use(); } finally { gate.leave(); }
 * </pre>
 *
 * <p>Unlike a lock, a thread that dies inside, or that cannot leave because its stack has
 * overflowed, delays closing by the given patience only.
 */
public final class UseGate {
  private static final long POLL_NANOS = 100_000;

  private final AtomicInteger inside = new AtomicInteger();
  private volatile boolean shut;

  /** Returns false if it is shut; else {@link #leave} must follow. */
  public boolean enter() {
    inside.incrementAndGet();
    if (shut) {
      inside.decrementAndGet();
      return false;
    }
    return true;
  }

  /** Follows a successful {@link #enter}. */
  public void leave() {
    inside.decrementAndGet();
  }

  /** Whether {@link #shut} was called. */
  public boolean isShut() {
    return shut;
  }

  /** Threads that have entered and not left. */
  public int inside() {
    return inside.get();
  }

  /**
   * Admits no more threads and waits until none is inside. Must not be called from inside.
   *
   * @return false if a thread is still inside after that time
   */
  public boolean shut(Duration patience) {
    shut = true;
    long deadline = System.nanoTime() + patience.toNanos();
    while (inside.get() > 0) {
      if (System.nanoTime() - deadline >= 0) {
        return false;
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
    return true;
  }
}
