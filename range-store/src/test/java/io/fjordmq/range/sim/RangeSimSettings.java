package io.fjordmq.range.sim;

import io.fjordmq.range.client.RangeClientSettings;
import io.fjordmq.range.load.SplitMergeSettings;
import io.fjordmq.range.placement.PlacementSettings;
import io.fjordmq.range.store.RangeStoreSettings;
import io.fjordmq.testing.RecordBuilder;
import java.time.Duration;

/**
 * Settings of simulated ranges: limits that a few clients reach, and times so short that a run
 * meets every timeout. Simulations change what they examine.
 */
public final class RangeSimSettings {
  /** Settings of clients. */
  public static final RangeClientSettings CLIENT =
      RecordBuilder.from(RangeClientSettings.DEFAULTS)
          .with(RangeClientSettings::maxCommandBytes, 1_000)
          .with(RangeClientSettings::maxBatchBytes, 4_000)
          .with(RangeClientSettings::maxBatchCommands, 6)
          .with(RangeClientSettings::maxBatchResponseBytes, 5)
          .with(RangeClientSettings::batchInterval, Duration.ofMillis(4))
          .with(RangeClientSettings::flushCommands, 3)
          .with(RangeClientSettings::maxQueuedCommands, 30)
          .with(RangeClientSettings::maxQueuedBytes, 20_000)
          .with(RangeClientSettings::maxQueries, 8)
          .with(RangeClientSettings::deadline, Duration.ofMillis(800))
          .with(RangeClientSettings::attemptTimeout, Duration.ofMillis(200))
          .with(RangeClientSettings::backoff, Duration.ofMillis(5))
          .with(RangeClientSettings::maxBackoff, Duration.ofMillis(100))
          .with(RangeClientSettings::reregisterAfter, Duration.ofMillis(400))
          .build();

  /** Settings of the stores of a node. */
  public static final RangeStoreSettings STORE =
      RecordBuilder.from(RangeStoreSettings.DEFAULTS)
          .with(RangeStoreSettings::maxEntryBytes, 1 << 20)
          .with(RangeStoreSettings::maxWriteBytes, 4_096)
          .with(RangeStoreSettings::maxSenders, 16)
          .with(RangeStoreSettings::checkpointInterval, Duration.ofMillis(400))
          .with(RangeStoreSettings::checkpointLogBytes, 20_000)
          .with(RangeStoreSettings::reopenBackoff, Duration.ofMillis(50))
          .with(RangeStoreSettings::maxReopenBackoff, Duration.ofMillis(400))
          .build();

  /** Settings of the placement driver. */
  public static final PlacementSettings PLACEMENT =
      RecordBuilder.from(PlacementSettings.DEFAULTS)
          .with(PlacementSettings::interval, Duration.ofMillis(200))
          .with(PlacementSettings::minInterval, Duration.ofMillis(20))
          .with(PlacementSettings::callTimeout, Duration.ofMillis(200))
          .with(PlacementSettings::stepTimeout, Duration.ofSeconds(2))
          .with(PlacementSettings::replaceAfter, Duration.ofSeconds(1))
          .with(PlacementSettings::transferCooldown, Duration.ofMillis(500))
          .with(PlacementSettings::maxSteps, 4)
          .with(PlacementSettings::mergeTimeout, Duration.ofSeconds(5))
          .with(PlacementSettings::mergeFreezeTimeout, Duration.ofMillis(1_500))
          .with(PlacementSettings::mergeCooldown, Duration.ofMillis(500))
          .build();

  /** Settings of splits and merges by load. */
  public static final SplitMergeSettings SPLITS =
      RecordBuilder.from(SplitMergeSettings.DEFAULTS)
          .with(SplitMergeSettings::maxRanges, 20)
          .with(SplitMergeSettings::cooldown, Duration.ofMillis(500))
          .with(SplitMergeSettings::strategyTimeout, Duration.ofSeconds(1))
          .with(SplitMergeSettings::maxBusyPercent, 50)
          .with(SplitMergeSettings::cpuLimitPercent, 90)
          .with(SplitMergeSettings::minAge, Duration.ZERO)
          .with(SplitMergeSettings::mergeAfter, Duration.ofSeconds(2))
          .with(SplitMergeSettings::maxRangeBytes, 0)
          .build();

  private RangeSimSettings() {}
}
