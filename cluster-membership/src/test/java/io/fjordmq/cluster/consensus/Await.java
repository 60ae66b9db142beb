package io.fjordmq.cluster.consensus;

import static org.assertj.core.api.Assertions.fail;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for what other threads bring about. */
public final class Await {
  private static final long DEADLINE_NANOS = 60_000_000_000L;
  private static final long POLL_NANOS = 1_000_000L;

  private Await() {}

  public static void until(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + DEADLINE_NANOS;
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline > 0) {
        fail("still not after 60 s: " + what);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }
}
