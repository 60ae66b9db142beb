package io.fjordmq.perf.recorder;

import java.util.Arrays;

/**
 * Derives single seconds from means over a sliding window, which is what a strategy receives. Exact
 * if every second is passed; if seconds are skipped, their sum is exact. Used by one thread.
 */
final class WindowSeconds {
  /** Oldest first. */
  private final double[] latest;

  /** An empty window, as for a new range. */
  WindowSeconds(int window) {
    this.latest = new double[window];
  }

  /**
   * The seconds that have passed, oldest first.
   *
   * @param passed 0 to the length of the window
   * @param mean over the window that ends with them
   */
  double[] next(int passed, double mean) {
    int first = latest.length - passed;
    System.arraycopy(latest, passed, latest, 0, first);
    double known = Arrays.stream(latest, 0, first).sum();
    // Negative only if seconds were skipped earlier, whose single values are estimates.
    double newSum = Math.max(0, mean * latest.length - known);
    Arrays.fill(latest, first, latest.length, newSum / Math.max(1, passed));
    return Arrays.copyOfRange(latest, first, latest.length);
  }
}
