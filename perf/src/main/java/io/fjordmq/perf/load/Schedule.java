package io.fjordmq.perf.load;

import java.util.concurrent.TimeUnit;

/**
 * The send times of all messages, which do not depend on the broker. The first messages of the
 * publishers are spread evenly over one interval.
 *
 * @param startNanos start of the schedule, as {@code System.nanoTime()}
 * @param countedNanos start of the measured period
 * @param endNanos end of the schedule
 * @param intervalNanos interval between two messages of a publisher
 * @param publishers number of publishers
 */
record Schedule(
    long startNanos, long countedNanos, long endNanos, double intervalNanos, int publishers) {
  static Schedule of(
      long startNanos, int warmSeconds, int seconds, double perSecond, int publishers) {
    long countedNanos = startNanos + TimeUnit.SECONDS.toNanos(warmSeconds);
    return new Schedule(
        startNanos,
        countedNanos,
        countedNanos + TimeUnit.SECONDS.toNanos(seconds),
        TimeUnit.SECONDS.toNanos(1) / perSecond,
        publishers);
  }

  long intendedNanos(int publisher, int number) {
    return startNanos + (long) ((number + (double) publisher / publishers) * intervalNanos);
  }

  /** Returns the number of a publisher's messages that are due at the given time. */
  int due(int publisher, long nowNanos) {
    long now = Math.min(nowNanos - startNanos, endNanos - startNanos - 1);
    int due = Math.max(0, (int) (now / intervalNanos - (double) publisher / publishers) + 1);
    // Correct a rounding error in either direction.
    while (due > 0 && intendedNanos(publisher, due - 1) - startNanos > now) {
      due--;
    }
    while (intendedNanos(publisher, due) - startNanos <= now) {
      due++;
    }
    return due;
  }
}
