package io.fjordmq.broker.backup;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Limits the bytes per second of one thread by pausing it. */
final class ByteRateLimiter {
  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

  private final long bytesPerSecond;
  private final LongSupplier nanos;
  private long freeAtNanos;

  /**
   * @param bytesPerSecond 0 for no limit
   */
  ByteRateLimiter(long bytesPerSecond, LongSupplier nanos) {
    this.bytesPerSecond = bytesPerSecond;
    this.nanos = nanos;
    this.freeAtNanos = nanos.getAsLong();
  }

  /** Records bytes, and pauses as long as they need at this rate or until interrupted. */
  void pauseAfter(long bytes, BooleanSupplier interrupted) {
    if (bytesPerSecond == 0) {
      return;
    }
    freeAtNanos = Math.max(freeAtNanos, nanos.getAsLong()) + pauseNanos(bytes);
    long rest = freeAtNanos - nanos.getAsLong();
    while (rest > 0 && !interrupted.getAsBoolean()) {
      LockSupport.parkNanos(Math.min(rest, MAX_PAUSE_NANOS));
      rest = freeAtNanos - nanos.getAsLong();
    }
  }

  private long pauseNanos(long bytes) {
    return (long) ((double) bytes / bytesPerSecond * TimeUnit.SECONDS.toNanos(1));
  }
}
