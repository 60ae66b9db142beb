package io.fjordmq.perf.load;

import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAccumulator;

/**
 * Records how long the last subscriber waited for each message of a single publisher. Thread-safe.
 */
final class LastDeliveries {
  private final Map<Integer, LongAccumulator> longestNanos = new ConcurrentHashMap<>();

  /** Records a delivery of the message with the given number. */
  void record(int number, long nanos) {
    longestNanos
        .computeIfAbsent(number, first -> new LongAccumulator(Math::max, 0))
        .accumulate(nanos);
  }

  /** Returns the median over all messages; empty if nothing was delivered. */
  OptionalDouble medianMillis() {
    long[] sorted =
        longestNanos.values().stream().mapToLong(LongAccumulator::get).sorted().toArray();
    return sorted.length == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of(sorted[sorted.length / 2] / (double) TimeUnit.MILLISECONDS.toNanos(1));
  }
}
