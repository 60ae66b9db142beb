package io.fjordmq.broker.security;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Lets something that clients can make happen any number of times be logged once in ten seconds.
 * Thread-safe.
 */
final class SparseLog {
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final AtomicLong next = new AtomicLong(System.nanoTime());
  private final AtomicLong leftOut = new AtomicLong();

  /** What to add to the line if it is to be written now; null if it is not. */
  @Nullable String turn() {
    long now = System.nanoTime();
    long due = next.get();
    if (now - due < 0 || !next.compareAndSet(due, now + PAUSE_NANOS)) {
      leftOut.incrementAndGet();
      return null;
    }
    long others = leftOut.getAndSet(0);
    return others == 0 ? "" : " (and " + others + " more like this since the last such line)";
  }
}
