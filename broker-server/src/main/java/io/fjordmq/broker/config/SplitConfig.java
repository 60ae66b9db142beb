package io.fjordmq.broker.config;

import io.fjordmq.broker.config.BrokerConfig.RangesConfig;
import io.fjordmq.range.load.SplitLimits;
import io.fjordmq.range.load.SplitMergeSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Splitting and merging ranges by load and size. Settings that differ by store are in the section
 * of the store.
 *
 * @param strategy plugin whose SplitStrategy decides; empty for the built-in strategy
 * @param maxRanges number of replicas on a node, of all stores, from which on it splits no range
 * @param pause pause between two changes that a node requests
 * @param patience time limit of the strategy for all ranges of a node together
 * @param maxBusyPercent share of a second for which a range's apply thread may be busy before the
 *     range is split
 * @param cpuLimitPercent processor usage of the host from which on no range is split
 * @param leastAge minimum age of a range before it is split or merged
 * @param mergeAfter how long two neighbouring ranges must be idle before they are merged; 0 for
 *     never
 * @param maxRangeBytes size above which a range is split, at least 16 MiB; a merged range has at
 *     most half of it; 0 for no limit
 */
public record SplitConfig(
    String strategy,
    int maxRanges,
    Duration pause,
    Duration patience,
    int maxBusyPercent,
    int cpuLimitPercent,
    Duration leastAge,
    Duration mergeAfter,
    long maxRangeBytes) {

  /* Sizes are RocksDB estimates, which include deleted rows and are off by megabytes: ranges with a
   * lower limit would be split again and again. SplitMergeSettings accept less, for tests.
   */
  private static final long LEAST_MAX_RANGE_BYTES = 16 << 20;

  static final SplitConfig DEFAULTS =
      new SplitConfig(
          "",
          100,
          Duration.ofSeconds(5),
          Duration.ofSeconds(3),
          50,
          90,
          Duration.ofSeconds(10),
          Duration.ofMinutes(5),
          1L << 30);

  public SplitConfig {
    requirePercent("maxBusyPercent", maxBusyPercent);
    requirePercent("cpuLimitPercent", cpuLimitPercent);
    if (maxRangeBytes > 0 && maxRangeBytes < LEAST_MAX_RANGE_BYTES) {
      throw new IllegalArgumentException(
          "maxRangeBytes must be at least 16 MiB, or 0 for no limit, not "
              + maxRangeBytes
              + ": sizes are estimates, so ranges with a lower limit would be split repeatedly");
    }
    // Validates the other values.
    new SplitMergeSettings(Set.of(), maxRanges, pause, patience, mergeAfter, maxRangeBytes);
    limits(1, 1, leastAge, mergeAfter, maxBusyPercent, cpuLimitPercent);
  }

  private static void requirePercent(String key, int value) {
    if (value < 1 || value > 100) {
      throw new IllegalArgumentException(key + " must be 1 to 100, not " + value);
    }
  }

  private static SplitLimits limits(
      int maxIoDensity,
      long ioNanosLimit,
      Duration leastAge,
      Duration mergeAfter,
      int maxBusyPercent,
      int cpuLimitPercent) {
    return new SplitLimits(
        maxIoDensity,
        maxBusyPercent / 100.0,
        ioNanosLimit,
        cpuLimitPercent / 100.0,
        leastAge,
        mergeAfter);
  }

  /**
   * The limits of the built-in strategy.
   *
   * @param stores the ranges of each store, by its name
   */
  public Map<String, SplitLimits> limits(Map<String, RangesConfig> stores) {
    Map<String, SplitLimits> limits = new HashMap<>();
    stores.forEach(
        (name, store) ->
            limits.put(
                name,
                limits(
                    store.maxIoDensity(),
                    store.ioNanosLimit(),
                    leastAge,
                    mergeAfter,
                    maxBusyPercent,
                    cpuLimitPercent)));
    return limits;
  }

  /**
   * The limits that apply to every strategy.
   *
   * @param stores the ranges of each store, by its name
   */
  public SplitMergeSettings shapes(Map<String, RangesConfig> stores) {
    Map<String, RangesConfig> split = new HashMap<>(stores);
    split.values().removeIf(store -> !store.splitByLoad());
    return new SplitMergeSettings(
        split.keySet(), maxRanges, pause, patience, mergeAfter, maxRangeBytes);
  }
}
