package io.fjordmq.testing;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Waits for conditions that become true in other threads or processes, without a notification.
 * Polls every millisecond at first, then less often, because a condition may query another process.
 */
public final class Await {
  private static final long DEFAULT_SECONDS = 60;
  private static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final long LAST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Await() {}

  /**
   * Waits for at most a minute.
   *
   * @throws AssertionError that names the condition if it does not become true
   */
  public static void until(String what, BooleanSupplier condition) {
    until(what, DEFAULT_SECONDS, condition);
  }

  /**
   * Waits for at most {@code seconds}.
   *
   * @throws AssertionError that names the condition if it does not become true in that time
   */
  public static void until(String what, long seconds, BooleanSupplier condition) {
    until(() -> what, seconds, condition);
  }

  /**
   * Waits for at most a minute. {@code what} describes the condition and the actual state, and is
   * evaluated on timeout.
   */
  public static void until(Supplier<String> what, BooleanSupplier condition) {
    until(what, DEFAULT_SECONDS, condition);
  }

  /**
   * Waits for at most {@code seconds}.
   *
   * @param what describes the condition and the actual state; evaluated on timeout
   * @throws AssertionError with that description if the condition does not become true in that time
   */
  public static void until(Supplier<String> what, long seconds, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    long poll = FIRST_POLL_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        throw new AssertionError("timed out after " + seconds + " s: " + what.get());
      }
      LockSupport.parkNanos(poll);
      poll = Math.min(LAST_POLL_NANOS, poll + poll / 4);
    }
  }

  /** Pauses between two attempts of a loop that cannot use {@link #until}. */
  public static void pause() {
    LockSupport.parkNanos(LAST_POLL_NANOS);
  }
}
