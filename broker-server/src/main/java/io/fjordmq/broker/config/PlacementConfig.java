package io.fjordmq.broker.config;

import io.fjordmq.range.placement.MergeSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.StorePlacement;
import java.time.Duration;
import java.util.List;

/**
 * Who holds which replicas: {@link PlacementSettings} without the stores.
 *
 * @param interval how often it is looked whether all is as it should be
 * @param pause least time between two such looks
 * @param callTimeout how long a node may take to say what it holds
 * @param stepTimeout how long one step may take
 * @param replaceAfter how long a node must be down before its replicas are given to others
 * @param transferCooldown least time between two transfers of a range's leadership for balance
 * @param maxSteps most steps at the same time
 * @param mergePatience how long two ranges that are to become one may take to come to the same
 *     nodes
 * @param mergeStandstill how long the clients of one of them may wait
 * @param mergeCooldown after a merge that was given up, how long it is not tried again by itself
 */
public record PlacementConfig(
    Duration interval,
    Duration pause,
    Duration callTimeout,
    Duration stepTimeout,
    Duration replaceAfter,
    Duration transferCooldown,
    int maxSteps,
    Duration mergePatience,
    Duration mergeStandstill,
    Duration mergeCooldown) {
  public PlacementConfig {
    // Refuses what it cannot work with.
    new PlacementSettings(
        List.of(),
        interval,
        pause,
        callTimeout,
        stepTimeout,
        replaceAfter,
        transferCooldown,
        maxSteps,
        new MergeSettings(mergePatience, mergeStandstill, mergeCooldown));
  }

  static PlacementConfig standing(PlacementSettings standard) {
    return new PlacementConfig(
        standard.interval(),
        standard.pause(),
        standard.callTimeout(),
        standard.stepTimeout(),
        standard.replaceAfter(),
        standard.transferCooldown(),
        standard.maxSteps(),
        standard.merges().patience(),
        standard.merges().standstill(),
        standard.merges().cooldown());
  }

  /** What the placement takes. */
  PlacementSettings of(List<StorePlacement> stores) {
    return new PlacementSettings(
        stores,
        interval,
        pause,
        callTimeout,
        stepTimeout,
        replaceAfter,
        transferCooldown,
        maxSteps,
        new MergeSettings(mergePatience, mergeStandstill, mergeCooldown));
  }
}
