package io.fjordmq.perf;

import org.HdrHistogram.Histogram;

/**
 * The result of a {@link PairWork} in the measured period.
 *
 * @param seconds measured
 * @param sent publishes
 * @param received deliveries
 * @param missing never delivered, in the whole run
 * @param duplicated delivered again
 * @param outOfOrder delivered after a later one of the same publisher
 * @param cpuMicrosPerMessage the broker's CPU time / (sent + received)
 * @param residentKilobytes the broker's memory at the end
 * @param writtenBytesPerMessage bytes that the broker wrote to disk / sent
 * @param delivery from the scheduled send time to delivery, microseconds
 * @param acknowledgement from the scheduled send time to PUBACK, microseconds; empty with QoS 0
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

  /** Whether the broker kept up with the schedule: all messages arrived, and in time. */
  boolean isHeld(PairWork work) {
    long due = (long) work.pairs() * work.ratePerSecond() * work.seconds();
    return received >= HELD_SHARE * due
        && delivery.getValueAtPercentile(99) < HELD_MICROS
        && acknowledgement.getValueAtPercentile(99) < HELD_MICROS;
  }
}
