package io.fjordmq.broker.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits the rate of a log line that clients or failing nodes could otherwise trigger without
 * bound, to one line every {@value #INTERVAL_SECONDS} s. Metrics still count every event.
 * Thread-safe; does not block.
 */
public final class RateLimitedLog {
  private static final long INTERVAL_SECONDS = 10;
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(INTERVAL_SECONDS);

  private final LongSupplier nanoTime;
  private final AtomicLong next;
  private final AtomicLong suppressed = new AtomicLong();

  public RateLimitedLog() {
    this(System::nanoTime);
  }

  RateLimitedLog(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.next = new AtomicLong(nanoTime.getAsLong());
  }

  /**
   * Counts an event.
   *
   * @return null if the line must be suppressed; otherwise the text to append to the line, which
   *     states how many lines were suppressed since the previous one and is empty if there were
   *     none
   */
  public @Nullable String permit() {
    long now = nanoTime.getAsLong();
    long due = next.get();
    if (now - due < 0 || !next.compareAndSet(due, now + INTERVAL_NANOS)) {
      suppressed.incrementAndGet();
      return null;
    }
    long count = suppressed.getAndSet(0);
    return count == 0 ? "" : " (suppressed " + count + " similar lines)";
  }
}
