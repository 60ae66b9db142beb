package io.fjordmq.perf;

import org.HdrHistogram.Histogram;

/**
 * What was seen in the counted time of a {@link PairWork}.
 *
 * @param seconds counted
 * @param sent publishes
 * @param received deliveries
 * @param missing never delivered, of all that were sent from the very start
 * @param duplicated delivered again
 * @param outOfOrder delivered after a later one of the same publisher
 * @param cpuMicrosPerMessage the broker's CPU time / (sent + received)
 * @param residentKilobytes the broker's memory at the end
 * @param writtenBytesPerMessage what the broker wrote to disk / sent
 * @param delivery from the intended time of sending to delivery, microseconds
 * @param acknowledgement from the intended time of sending to PUBACK, microseconds; empty at QoS 0
 */
record PairResult(
    int seconds,
    long sent,
    long received,
    long missing,
    long duplicated,
    long outOfOrder,
    double cpuMicrosPerMessage,
    long residentKilobytes,
    double writtenBytesPerMessage,
    Histogram delivery,
    Histogram acknowledgement) {
  private static final double HELD_SHARE = 0.99;
  private static final long HELD_MICROS = 1_000_000;

  /** Whether the broker kept up with a timetable: what was due came, and came in time. */
  boolean isHeld(PairWork work) {
    long due = (long) work.pairs() * work.ratePerSecond() * work.seconds();
    return received >= HELD_SHARE * due
        && delivery.getValueAtPercentile(99) < HELD_MICROS
        && acknowledgement.getValueAtPercentile(99) < HELD_MICROS;
  }
}
