package io.fjordmq.range.load;

import java.time.Duration;

/**
 * What {@link LoadSplitStrategy} goes by for the ranges of one store.
 *
 * @param maxIoDensity commands and queries per second that a range may carry; a range with more, in
 *     each second of the window, is to be split
 * @param maxBusy share of a second, above 0 up to 1, that a range's apply thread may work; more, in
 *     each second of the window, is a reason to split, too
 * @param ioNanosLimit mean time per command in storage, in nanoseconds, from which on storage
 *     itself is the limit and splitting pauses; 0 for no limit
 * @param cpuLimit share of all processors, above 0 up to 1, from which on splitting pauses
 * @param leastAge no range is split again, or merged, sooner
 * @param mergeAfter how long two neighbours must have been idle to become one; 0 for never
 */
public record SplitLimits(
    double maxIoDensity,
    double maxBusy,
    double ioNanosLimit,
    double cpuLimit,
    Duration leastAge,
    Duration mergeAfter) {

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public SplitLimits {
    require(maxIoDensity >= 1, "maxIoDensity must be at least 1, not " + maxIoDensity);
    require(maxBusy > 0 && maxBusy <= 1, "maxBusy must be above 0 up to 1, not " + maxBusy);
    require(ioNanosLimit >= 0, "ioNanosLimit must not be negative: " + ioNanosLimit);
    require(cpuLimit > 0 && cpuLimit <= 1, "cpuLimit must be above 0 up to 1, not " + cpuLimit);
    require(!leastAge.isNegative(), "leastAge must not be negative: " + leastAge);
    require(!mergeAfter.isNegative(), "mergeAfter must not be negative: " + mergeAfter);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
