package io.fjordmq.broker.config;

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
 */
public record PlacementConfig(
    Duration interval,
    Duration pause,
    Duration callTimeout,
    Duration stepTimeout,
    Duration replaceAfter,
    Duration transferCooldown,
    int maxSteps) {
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
        maxSteps);
  }

  static PlacementConfig standing(PlacementSettings standard) {
    return new PlacementConfig(
        standard.interval(),
        standard.pause(),
        standard.callTimeout(),
        standard.stepTimeout(),
        standard.replaceAfter(),
        standard.transferCooldown(),
        standard.maxSteps());
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
        maxSteps);
  }
}
