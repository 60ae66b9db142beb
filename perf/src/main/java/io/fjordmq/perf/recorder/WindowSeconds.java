package io.fjordmq.perf.recorder;

import java.util.Arrays;

/**
 * Single seconds out of means over a sliding window, which is all that a strategy is told. Exact if
 * every second is told; of seconds that were left out, the sum is. Used by one thread.
 */
final class WindowSeconds {
  /** The oldest first. */
  private final double[] latest;

  /** The window is empty, as that of a new range. */
  WindowSeconds(int window) {
    this.latest = new double[window];
  }

  /**
   * The seconds that have passed, the oldest first.
   *
   * @param passed 0 to the length of the window
   * @param mean over the window that ends with them
   */
  double[] next(int passed, double mean) {
    int first = latest.length - passed;
    System.arraycopy(latest, passed, latest, 0, first);
    double known = Arrays.stream(latest, 0, first).sum();
    // Below 0 only if seconds were left out earlier, whose single values are guesses.
    double fresh = Math.max(0, mean * latest.length - known);
    Arrays.fill(latest, first, latest.length, fresh / Math.max(1, passed));
    return Arrays.copyOfRange(latest, first, latest.length);
  }
}
