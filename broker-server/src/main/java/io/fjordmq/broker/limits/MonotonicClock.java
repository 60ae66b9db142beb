package io.fjordmq.broker.limits;

import java.time.Instant;
import java.time.InstantSource;

/**
 * Measures durations and rates in milliseconds. Unlike the wall clock, it never jumps: a limit must
 * neither open nor close because someone sets the clock of the host. Its instants count from an
 * arbitrary time, which can be in the future, and are not dates. Thread-safe.
 */
public final class MonotonicClock implements InstantSource {
  private static final long NANOS_PER_MILLI = 1_000_000;

  @Override
  public Instant instant() {
    return Instant.ofEpochMilli(millis());
  }

  @Override
  public long millis() {
    return System.nanoTime() / NANOS_PER_MILLI;
  }
}
