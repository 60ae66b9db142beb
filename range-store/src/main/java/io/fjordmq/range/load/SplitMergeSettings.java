package io.fjordmq.range.load;

import java.time.Duration;
import java.util.Set;

/**
 * Rules for splits and merges of a node's ranges that apply to every split strategy.
 *
 * @param stores stores whose ranges are split by load, and merged; ranges of other stores are only
 *     split by size
 * @param maxRanges number of replicas on a node, of all stores, at which it stops splitting
 * @param pause minimum time between two changes that a node requests
 * @param patience timeout for a strategy to decide about all ranges of a node, and also for
 *     measuring their sizes before that
 * @param idleWindow how long neighbours must have been idle before they are merged; 0 disables
 *     merges
 * @param maxRangeBytes size above which a range is split regardless of its load; 0 for no limit.
 *     Neighbours are merged only if their total size is at most half of it
 */
public record SplitMergeSettings(
    Set<String> stores,
    int maxRanges,
    Duration pause,
    Duration patience,
    Duration idleWindow,
    long maxRangeBytes) {

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public SplitMergeSettings {
    stores = Set.copyOf(stores);
    require(maxRanges >= 1, "maxRanges must be at least 1: " + maxRanges);
    require(!pause.isNegative(), "pause must not be negative: " + pause);
    require(patience.toMillis() >= 1, "patience must be at least 1 ms: " + patience);
    require(!idleWindow.isNegative(), "idleWindow must not be negative: " + idleWindow);
    require(maxRangeBytes >= 0, "maxRangeBytes must not be negative: " + maxRangeBytes);
  }

  /** Whether a range must be split because of its size. */
  boolean isTooLarge(RangeSize size) {
    return maxRangeBytes > 0 && size.bytes() > maxRangeBytes;
  }

  /** Whether the size limit permits merging two ranges. */
  boolean canMerge(RangeSize left, RangeSize right) {
    return maxRangeBytes == 0
        || (left.isKnown() && right.isKnown() && left.bytes() + right.bytes() <= maxRangeBytes / 2);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
