package io.fjordmq.perf.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Records delays relative to the scheduled send times, in microseconds, separately for messages
 * scheduled in the measured period and for all others. The time of the delivery does not matter: if
 * a broker falls behind, late deliveries still belong to the measured period. One thread records,
 * another one reads.
 */
final class Delays {
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final SingleWriterRecorder counted = new SingleWriterRecorder(HIGHEST_MICROS, 3);
  private final SingleWriterRecorder others = new SingleWriterRecorder(HIGHEST_MICROS, 3);

  /**
   * Records a delay.
   *
   * @param isCounted whether the message was scheduled in the measured period
   */
  void record(long intendedNanos, long nowNanos, boolean isCounted) {
    long micros = TimeUnit.NANOSECONDS.toMicros(nowNanos - intendedNanos);
    long clamped = Math.max(0, Math.min(HIGHEST_MICROS, micros));
    (isCounted ? counted : others).recordValue(clamped);
  }

  /**
   * Moves all new values to {@code all}, and adds those of the measured period to {@code
   * countedOnly} as well.
   */
  void moveTo(Histogram all, Histogram countedOnly) {
    Histogram newValues = counted.getIntervalHistogram();
    countedOnly.add(newValues);
    all.add(newValues);
    all.add(others.getIntervalHistogram());
  }
}
