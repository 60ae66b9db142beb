package io.fjordmq.range.placement;

import java.time.Duration;

/**
 * How patient placement is with two ranges that are to become one.
 *
 * @param patience how long it may take to bring the replicas of both to the same nodes; then the
 *     merge is given up
 * @param standstill how long the right range may stand still, while its clients wait; then the
 *     merge is given up
 * @param cooldown after one that was given up, the same two are not merged for this long unless an
 *     operator asks for it
 */
public record MergeSettings(Duration patience, Duration standstill, Duration cooldown) {
  /** What a broker begins with. */
  public static final MergeSettings DEFAULTS =
      new MergeSettings(Duration.ofSeconds(60), Duration.ofSeconds(5), Duration.ofMinutes(5));

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
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
