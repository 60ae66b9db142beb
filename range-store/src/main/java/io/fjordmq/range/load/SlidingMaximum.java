package io.fjordmq.range.load;

import java.time.Duration;

/**
 * The maximum of per-second values in a sliding window that advances in tenths. Not thread-safe.
 */
final class SlidingMaximum {
  private static final int SLOTS = 10;

  private final double[] highest = new double[SLOTS];
  private final int secondsPerSlot;
  private long seconds;

  /**
   * @param window length of the window; shorter ones are raised to ten seconds
   */
  SlidingMaximum(Duration window) {
    this.secondsPerSlot = (int) Math.max(1, window.toSeconds() / SLOTS);
  }

  void addSecond(double value) {
    int slot = (int) (seconds / secondsPerSlot % SLOTS);
    highest[slot] = seconds % secondsPerSlot == 0 ? value : Math.max(highest[slot], value);
    seconds++;
  }

  double highest() {
    double max = 0;
    for (double slot : highest) {
      max = Math.max(max, slot);
    }
    return max;
  }

  /** Returns how much of the window has been observed so far. */
  Duration observed() {
    return Duration.ofSeconds(Math.min(seconds, (long) secondsPerSlot * SLOTS));
  }
}
