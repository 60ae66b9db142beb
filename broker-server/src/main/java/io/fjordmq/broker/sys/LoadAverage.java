package io.fjordmq.broker.sys;

/**
 * The rate of a counter per minute, as exponentially weighted moving averages over 1, 5 and 15
 * minutes, like the Unix load average.
 */
final class LoadAverage {
  static final int[] MINUTES = {1, 5, 15};

  private final double[] averages = new double[MINUTES.length];
  private long last;

  /** Records the value of the counter and the time that has elapsed since the previous call. */
  void update(long value, long elapsedMillis) {
    if (elapsedMillis <= 0) {
      return;
    }
    double perMinute = (value - last) * 60_000.0 / elapsedMillis;
    last = value;
    for (int i = 0; i < MINUTES.length; i++) {
      double decay = Math.exp(-elapsedMillis / (60_000.0 * MINUTES[i]));
      averages[i] = perMinute + decay * (averages[i] - perMinute);
    }
  }

  /** Returns the average over the number of minutes at this index in {@link #MINUTES}. */
  double average(int index) {
    return averages[index];
  }
}
