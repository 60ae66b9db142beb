package io.fjordmq.broker.sys;

/**
 * How much a counter grows in a minute, averaged over the last 1, 5 and 15 minutes with falling
 * weight, as Unix does with its load.
 */
final class LoadAverage {
  static final int[] MINUTES = {1, 5, 15};

  private final double[] averages = new double[MINUTES.length];
  private long last;

  /** The counter stands at the value, so many milliseconds after the call before. */
  void update(long value, long elapsedMillis) {
    if (elapsedMillis <= 0) {
      return;
    }
    double perMinute = (value - last) * 60_000.0 / elapsedMillis;
    last = value;
    for (int i = 0; i < MINUTES.length; i++) {
      double kept = Math.exp(-elapsedMillis / (60_000.0 * MINUTES[i]));
      averages[i] = perMinute + kept * (averages[i] - perMinute);
    }
  }

  /** Over the minutes of that index of {@link #MINUTES}. */
  double over(int index) {
    return averages[index];
  }
}
