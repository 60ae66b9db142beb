package io.fjordmq.range.placement;

import java.time.Duration;
import java.util.List;

/**
 * The goals and timings of placement.
 *
 * @param stores replica settings of each store
 * @param interval interval between placement checks
 * @param pause minimum time between two checks; a check follows each step and each membership
 *     change
 * @param callTimeout time allowed for a node's report
 * @param stepTimeout time allowed for one step; a new replica may need a snapshot of the range
 * @param replaceAfter how long a node must be DOWN before its replicas move to other nodes
 * @param transferCooldown minimum time between two leadership transfers of a range that only serve
 *     the balance
 * @param maxSteps maximum number of steps in progress at the same time, for different ranges
 * @param merges time limits for merges
 */
public record PlacementSettings(
    List<StorePlacement> stores,
    Duration interval,
    Duration pause,
    Duration callTimeout,
    Duration stepTimeout,
    Duration replaceAfter,
    Duration transferCooldown,
    int maxSteps,
    MergeSettings merges) {

  /** The default settings for these stores. */
  public static PlacementSettings defaults(List<StorePlacement> stores) {
    return new PlacementSettings(
        stores,
        Duration.ofSeconds(2),
        Duration.ofMillis(200),
        Duration.ofSeconds(2),
        Duration.ofSeconds(30),
        Duration.ofMinutes(5),
        Duration.ofSeconds(30),
        8,
        MergeSettings.DEFAULTS);
  }

  /** These settings for other stores. */
  public PlacementSettings with(List<StorePlacement> others) {
    return new PlacementSettings(
        others,
        interval,
        pause,
        callTimeout,
        stepTimeout,
        replaceAfter,
        transferCooldown,
        maxSteps,
        merges);
  }

  /**
   * @throws IllegalArgumentException if a value is out of bounds; the message names it
   */
  public PlacementSettings {
    stores = List.copyOf(stores);
    atLeast("interval in milliseconds", interval.toMillis(), 1);
    atLeast("pause in milliseconds", pause.toMillis(), 1);
    atLeast("callTimeout in milliseconds", callTimeout.toMillis(), 1);
    atLeast("stepTimeout in milliseconds", stepTimeout.toMillis(), 1);
    atLeast("replaceAfter in milliseconds", replaceAfter.toMillis(), 0);
    atLeast("transferCooldown in milliseconds", transferCooldown.toMillis(), 0);
    atLeast("maxSteps", maxSteps, 1);
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
