package io.fjordmq.perf.load;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * How long after their intended times things happened, microseconds: those of messages that were
 * due in the counted time, and the others. When they happened does not matter: what a broker that
 * has fallen behind delivers later is the late part of what is counted. One thread records, another
 * takes.
 */
final class Delays {
  private static final long HIGHEST_MICROS = TimeUnit.MINUTES.toMicros(10);

  private final SingleWriterRecorder counted = new SingleWriterRecorder(HIGHEST_MICROS, 3);
  private final SingleWriterRecorder others = new SingleWriterRecorder(HIGHEST_MICROS, 3);

  /**
   * One more.
   *
   * @param isCounted whether the message was due in the counted time
   */
  void record(long intendedNanos, long nowNanos, boolean isCounted) {
    long micros = TimeUnit.NANOSECONDS.toMicros(nowNanos - intendedNanos);
    long within = Math.max(0, Math.min(HIGHEST_MICROS, micros));
    (isCounted ? counted : others).recordValue(within);
  }

  /** Adds what is new: all of it to the first, what is counted to the second, too. */
  void moveTo(Histogram all, Histogram countedOnly) {
    Histogram fresh = counted.getIntervalHistogram();
    countedOnly.add(fresh);
    all.add(fresh);
    all.add(others.getIntervalHistogram());
  }
}
