package io.fjordmq.range.placement;

import java.time.Duration;

/**
 * Intervals and timeouts of placement; the configuration section {@code placementConfig}.
 *
 * @param interval interval between placement checks
 * @param minInterval minimum time between two checks; a check follows each step and each membership
 *     change
 * @param callTimeout time allowed for a node's report
 * @param stepTimeout time allowed for one step; a new replica may need a snapshot of the range
 * @param replaceAfter how long a node must be DOWN before its replicas move to other nodes
 * @param transferCooldown minimum time between two leadership transfers of a range that only
 *     balance the nodes
 * @param maxSteps maximum number of steps in progress at the same time, for different ranges
 * @param mergeTimeout time allowed for moving the replicas of two ranges to the same nodes; then
 *     their merge is abandoned
 * @param mergeFreezeTimeout how long the right range may be frozen for a merge, while its clients
 *     wait; then the merge is abandoned
 * @param mergeCooldown time after a merge was abandoned during which the same two ranges are merged
 *     only at an operator's request
 */
public record PlacementSettings(
    Duration interval,
    Duration minInterval,
    Duration callTimeout,
    Duration stepTimeout,
    Duration replaceAfter,
    Duration transferCooldown,
    int maxSteps,
    Duration mergeTimeout,
    Duration mergeFreezeTimeout,
    Duration mergeCooldown) {

  /** The default settings. */
  public static final PlacementSettings DEFAULTS =
      new PlacementSettings(
          Duration.ofSeconds(2),
          Duration.ofMillis(200),
          Duration.ofSeconds(2),
          Duration.ofSeconds(30),
          Duration.ofMinutes(5),
          Duration.ofSeconds(30),
          8,
          Duration.ofSeconds(60),
          Duration.ofSeconds(5),
          Duration.ofMinutes(5));

  /**
   * @throws IllegalArgumentException if a value is out of bounds; the message names it
   */
  public PlacementSettings {
    requireAtLeast("interval in milliseconds", interval.toMillis(), 1);
    requireAtLeast("minInterval in milliseconds", minInterval.toMillis(), 1);
    requireAtLeast("callTimeout in milliseconds", callTimeout.toMillis(), 1);
    requireAtLeast("stepTimeout in milliseconds", stepTimeout.toMillis(), 1);
    requireAtLeast("replaceAfter in milliseconds", replaceAfter.toMillis(), 0);
    requireAtLeast("transferCooldown in milliseconds", transferCooldown.toMillis(), 0);
    requireAtLeast("maxSteps", maxSteps, 1);
    requireAtLeast("mergeTimeout in milliseconds", mergeTimeout.toMillis(), 1);
    requireAtLeast("mergeFreezeTimeout in milliseconds", mergeFreezeTimeout.toMillis(), 1);
    requireAtLeast("mergeCooldown in milliseconds", mergeCooldown.toMillis(), 0);
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
    }
  }
}
