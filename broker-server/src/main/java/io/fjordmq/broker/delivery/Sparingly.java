package io.fjordmq.broker.delivery;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Lets an event that may come a million times be logged at its 1st, 2nd, 4th, 8th… time. Metrics
 * count every one.
 */
final class Sparingly {
  private final AtomicLong times = new AtomicLong();

  /** How many times it has happened if it should be logged now, else 0. */
  long count() {
    long now = times.incrementAndGet();
    return Long.bitCount(now) == 1 ? now : 0;
  }
}
