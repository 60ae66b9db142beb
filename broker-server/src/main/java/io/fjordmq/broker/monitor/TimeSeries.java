package io.fjordmq.broker.monitor;

import java.util.ArrayList;
import java.util.List;

/** The latest samples of a node, in arrays of fixed size. Thread-safe. */
final class TimeSeries {
  private final long[] times;
  private final long[][] values;
  private int count;
  private int next;

  /**
   * @param capacity the number of samples that are kept
   */
  TimeSeries(int capacity) {
    times = new long[capacity];
    values = new long[Series.values().length][capacity];
  }

  /** Adds a sample and forgets the oldest one if there are too many. */
  synchronized void add(Sample sample) {
    times[next] = sample.timeMillis();
    for (Series series : Series.values()) {
      values[series.ordinal()][next] = sample.value(series);
    }
    next = (next + 1) % times.length;
    count = Math.min(count + 1, times.length);
  }

  /** Returns the samples that ended after this time, oldest first. */
  synchronized List<Sample> after(long timeMillis) {
    List<Sample> samples = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int at = Math.floorMod(next - count + i, times.length);
      if (times[at] > timeMillis) {
        samples.add(read(at));
      }
    }
    return samples;
  }

  private Sample read(int at) {
    Sample.Builder sample = Sample.at(times[at]);
    for (Series series : Series.values()) {
      sample.set(series, values[series.ordinal()][at]);
    }
    return sample.build();
  }
}
