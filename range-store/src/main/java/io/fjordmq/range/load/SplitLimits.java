package io.fjordmq.range.load;

import java.time.Duration;

/**
 * Limits of {@link LoadSplitStrategy} for the ranges of a store.
 *
 * @param maxIoDensity maximum commands and queries per second of a range; a range that exceeds it
 *     in each second of the window is split
 * @param maxBusy maximum busy share of a range's apply thread, above 0 and at most 1; a range that
 *     exceeds it in each second of the window is split
 * @param ioNanosLimit mean storage time per command, in nanoseconds, above which storage itself is
 *     the bottleneck and nothing is split; 0 for no limit
 * @param cpuLimit share of all processors, above 0 and at most 1, above which nothing is split
 * @param leastAge minimum age of a range before it is split or merged again
 * @param mergeAfter how long two neighbours must have been idle before they are merged; 0 disables
 *     merges
 */
public record SplitLimits(
    double maxIoDensity,
    double maxBusy,
    double ioNanosLimit,
    double cpuLimit,
    Duration leastAge,
    Duration mergeAfter) {

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public SplitLimits {
    require(maxIoDensity >= 1, "maxIoDensity must be at least 1: " + maxIoDensity);
    require(maxBusy > 0 && maxBusy <= 1, "maxBusy must be above 0 and at most 1: " + maxBusy);
    require(ioNanosLimit >= 0, "ioNanosLimit must not be negative: " + ioNanosLimit);
    require(cpuLimit > 0 && cpuLimit <= 1, "cpuLimit must be above 0 and at most 1: " + cpuLimit);
    require(!leastAge.isNegative(), "leastAge must not be negative: " + leastAge);
    require(!mergeAfter.isNegative(), "mergeAfter must not be negative: " + mergeAfter);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
