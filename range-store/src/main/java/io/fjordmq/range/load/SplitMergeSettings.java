package io.fjordmq.range.load;

import java.time.Duration;

/**
 * Rules for splits and merges of a node's ranges, of all stores; the configuration section {@code
 * splitConfig}.
 *
 * @param maxRanges number of replicas on a node, of all stores, at which it stops splitting
 * @param cooldown minimum time between two changes that a node requests
 * @param strategyTimeout timeout for a strategy to decide on all ranges of a node, and also for
 *     measuring their sizes before that
 * @param maxBusyPercent busy share of a range's apply thread; {@link LoadSplitStrategy} splits a
 *     range that exceeds it in each second of the window
 * @param cpuLimitPercent share of all processors above which {@link LoadSplitStrategy} splits
 *     nothing
 * @param minAge minimum age of a range before {@link LoadSplitStrategy} splits it
 * @param mergeAfter how long neighbors must have been idle before they are merged; 0 disables
 *     merges
 * @param maxRangeBytes size above which a range is split regardless of its load; 0 for no limit.
 *     Neighbors are merged only if their total size is at most half of it
 */
public record SplitMergeSettings(
    int maxRanges,
    Duration cooldown,
    Duration strategyTimeout,
    int maxBusyPercent,
    int cpuLimitPercent,
    Duration minAge,
    Duration mergeAfter,
    long maxRangeBytes) {

  /** The default settings. */
  public static final SplitMergeSettings DEFAULTS =
      new SplitMergeSettings(
          100,
          Duration.ofSeconds(5),
          Duration.ofSeconds(3),
          50,
          90,
          Duration.ofSeconds(10),
          Duration.ofMinutes(5),
          1L << 30);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public SplitMergeSettings {
    require(maxRanges >= 1, "maxRanges must be at least 1, not " + maxRanges);
    require(
        !cooldown.isNegative(),
        "cooldown must be at least 0 ms, not " + cooldown.toMillis() + " ms");
    require(
        strategyTimeout.toMillis() >= 1,
        "strategyTimeout must be at least 1 ms, not " + strategyTimeout.toMillis() + " ms");
    requirePercent("maxBusyPercent", maxBusyPercent);
    requirePercent("cpuLimitPercent", cpuLimitPercent);
    require(!minAge.isNegative(), "minAge must be at least 0 ms, not " + minAge.toMillis() + " ms");
    require(
        !mergeAfter.isNegative(),
        "mergeAfter must be at least 0 ms, not " + mergeAfter.toMillis() + " ms");
    require(maxRangeBytes >= 0, "maxRangeBytes must be at least 0, not " + maxRangeBytes);
  }

  /** Returns whether a range must be split because of its size. */
  boolean isTooLarge(RangeSize size) {
    return maxRangeBytes > 0 && size.bytes() > maxRangeBytes;
  }

  /** Returns whether the size limit permits merging two ranges. */
  boolean canMerge(RangeSize left, RangeSize right) {
    return maxRangeBytes == 0
        || (left.isKnown() && right.isKnown() && left.bytes() + right.bytes() <= maxRangeBytes / 2);
  }

  double maxBusy() {
    return maxBusyPercent / 100.0;
  }

  double cpuLimit() {
    return cpuLimitPercent / 100.0;
  }

  private static void requirePercent(String name, int value) {
    require(value >= 1 && value <= 100, name + " must be between 1 and 100, not " + value);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
