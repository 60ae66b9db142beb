package io.fjordmq.range.load;

import java.time.Duration;
import java.util.Set;

/**
 * What holds for the shape of a node's ranges whatever a strategy says.
 *
 * @param stores whose ranges are split by their load, and merged; those of others are only split by
 *     size
 * @param maxRanges most replicas a node holds, of all stores; at these it splits nothing
 * @param pause between one change that a node asks for and the next
 * @param patience how long a strategy may take for all ranges of a node together, and how long
 *     measuring their sizes may take before that
 * @param idleWindow how long neighbours must have been idle to become one; 0 for never
 * @param maxRangeBytes size above which a range is split whatever it has to do; 0 for no limit.
 *     Neighbours become one only if both together hold at most half of it
 */
public record ShapeSettings(
    Set<String> stores,
    int maxRanges,
    Duration pause,
    Duration patience,
    Duration idleWindow,
    long maxRangeBytes) {

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public ShapeSettings {
    stores = Set.copyOf(stores);
    require(maxRanges >= 1, "maxRanges must be at least 1, not " + maxRanges);
    require(!pause.isNegative(), "pause must not be negative: " + pause);
    require(patience.toMillis() >= 1, "patience must be at least 1 ms, not " + patience);
    require(!idleWindow.isNegative(), "idleWindow must not be negative: " + idleWindow);
    require(maxRangeBytes >= 0, "maxRangeBytes must not be negative: " + maxRangeBytes);
  }

  /** Whether a range is to be split by its size. */
  boolean isTooLarge(RangeSize size) {
    return maxRangeBytes > 0 && size.bytes() > maxRangeBytes;
  }

  /** Whether the size of two ranges lets them become one. */
  boolean mayBecomeOne(RangeSize left, RangeSize right) {
    return maxRangeBytes == 0
        || (left.isKnown() && right.isKnown() && left.bytes() + right.bytes() <= maxRangeBytes / 2);
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }
}
