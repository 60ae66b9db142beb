package io.fjordmq.broker.system;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for conditions in another process, which cannot signal them. */
final class Waiting {
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private Waiting() {}

  static void pause() {
    LockSupport.parkNanos(POLL_NANOS);
  }

  /**
   * @throws AssertionError naming what did not come
   */
  static void until(String what, long seconds, BooleanSupplier condition) {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(what + " did not come within " + seconds + " s");
      }
      pause();
    }
  }
}
