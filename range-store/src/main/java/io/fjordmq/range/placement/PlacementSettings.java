package io.fjordmq.range.placement;

import java.time.Duration;
import java.util.List;

/**
 * What placement aims at, and how patiently.
 *
 * @param stores what their ranges should have
 * @param interval how often the driver looks whether all is as it should be
 * @param pause least time between two looks; one follows each step, and each change of the members
 * @param callTimeout how long a node may take to say what it holds
 * @param stepTimeout how long one step may take; a new replica may need a copy of the range
 * @param replaceAfter how long a node must be DOWN before its replicas are given to others
 * @param transferCooldown least time between two transfers of a range's leadership that serve the
 *     balance alone
 * @param maxSteps most steps under way at the same time, for different ranges
 * @param merges how patient it is with two ranges that are to become one
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

  /** Everything but the stores at its default. */
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

  /** The same for these stores. */
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
   * @throws IllegalArgumentException if a value makes no sense; the message names it
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
