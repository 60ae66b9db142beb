package io.fjordmq.broker.config;

import io.fjordmq.range.placement.MergeSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.placement.StorePlacement;
import java.time.Duration;
import java.util.List;

/**
 * Placement of replicas: {@link PlacementSettings} without the stores.
 *
 * @param interval interval between placement checks
 * @param pause minimum time between two checks
 * @param callTimeout how long a node may take to report its replicas
 * @param stepTimeout how long one step may take
 * @param replaceAfter how long a node must be down before its replicas are replaced
 * @param transferCooldown minimum time between two leadership transfers of a range for balance
 * @param maxSteps limit of concurrent steps
 * @param mergePatience how long it may take to move two ranges to the same nodes for a merge
 * @param mergeStandstill how long a range may be frozen for a merge, while its clients wait
 * @param mergeCooldown pause after a merge that was given up, before it is retried automatically
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
    // Validates the values.
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

  static PlacementConfig from(PlacementSettings standard) {
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

  /** The settings of placement. */
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
