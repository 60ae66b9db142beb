package io.fjordmq.perf.load;

import java.util.concurrent.TimeUnit;

/**
 * When each message should be sent, whatever the broker does. Publishers are spread evenly over one
 * interval.
 *
 * @param startNanos of {@code System.nanoTime()}
 * @param countedNanos what is due from then on is counted
 * @param endNanos nothing is due from then on
 * @param intervalNanos between two messages of a publisher
 * @param publishers how many
 */
record Timetable(
    long startNanos, long countedNanos, long endNanos, double intervalNanos, int publishers) {
  static Timetable of(
      long startNanos, int warmSeconds, int seconds, double perSecond, int publishers) {
    long countedNanos = startNanos + TimeUnit.SECONDS.toNanos(warmSeconds);
    return new Timetable(
        startNanos,
        countedNanos,
        countedNanos + TimeUnit.SECONDS.toNanos(seconds),
        TimeUnit.SECONDS.toNanos(1) / perSecond,
        publishers);
  }

  long intendedNanos(int publisher, int number) {
    return startNanos + (long) ((number + (double) publisher / publishers) * intervalNanos);
  }

  /** How many messages of a publisher are due by then. */
  int due(int publisher, long nowNanos) {
    long now = Math.min(nowNanos - startNanos, endNanos - startNanos - 1);
    int due = Math.max(0, (int) (now / intervalNanos - (double) publisher / publishers) + 1);
    // Rounding may have gone either way.
    while (due > 0 && intendedNanos(publisher, due - 1) - startNanos > now) {
      due--;
    }
    while (intendedNanos(publisher, due) - startNanos <= now) {
      due++;
    }
    return due;
  }
}
