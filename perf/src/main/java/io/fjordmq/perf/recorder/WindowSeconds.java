package io.fjordmq.perf.recorder;

import java.util.Arrays;

/**
 * Derives the value of each second from means over a sliding window, because a split strategy
 * receives only the means. The values are exact if a mean is passed every second; if seconds are
 * skipped, only their sum is exact. Used by one thread.
 */
final class WindowSeconds {
  /** The latest values, oldest first. */
  private final double[] latest;

  /** Creates a window of zeros, as for a new range. */
  WindowSeconds(int window) {
    this.latest = new double[window];
  }

  /**
   * Returns the values of the seconds that have passed, oldest first.
   *
   * @param passed number of seconds that have passed, 0 to the length of the window
   * @param mean mean over the window that ends with these seconds
   */
  double[] next(int passed, double mean) {
    int first = latest.length - passed;
    System.arraycopy(latest, passed, latest, 0, first);
    double known = Arrays.stream(latest, 0, first).sum();
    // Negative only if seconds were skipped earlier, because their individual values are estimates.
    double newSum = Math.max(0, mean * latest.length - known);
    Arrays.fill(latest, first, latest.length, newSum / Math.max(1, passed));
    return Arrays.copyOfRange(latest, first, latest.length);
  }
}
