package io.fjordmq.range.placement;

import java.time.Duration;

/**
 * Time limits for merging two ranges.
 *
 * @param patience time allowed for moving the replicas of both ranges to the same nodes; then the
 *     merge is given up
 * @param standstill how long the right range may be frozen, while its clients wait; then the merge
 *     is given up
 * @param cooldown time after a merge was given up during which the same two ranges are merged only
 *     at an operator's request
 */
public record MergeSettings(Duration patience, Duration standstill, Duration cooldown) {
  /** The default settings. */
  public static final MergeSettings DEFAULTS =
      new MergeSettings(Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofMinutes(5));

  /**
   * @throws IllegalArgumentException if a value is out of bounds; the message names it
   */
  public MergeSettings {
    atLeast("mergePatience in milliseconds", patience.toMillis(), 1);
    atLeast("mergeStandstill in milliseconds", standstill.toMillis(), 1);
    atLeast("mergeCooldown in milliseconds", cooldown.toMillis(), 0);
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
