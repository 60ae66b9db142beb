package io.fjordmq.broker.config;

import io.fjordmq.broker.config.BrokerConfig.RangesConfig;
import io.fjordmq.range.load.ShapeSettings;
import io.fjordmq.range.load.SplitLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * When ranges are split by their load or size; what differs between the stores stands at each of
 * them.
 *
 * @param strategy plugin whose SplitStrategy decides; empty for the built-in one
 * @param maxRanges replicas on a node, of all stores, at which it splits nothing
 * @param pause between two changes that a node asks for
 * @param patience how long the strategy may take for all ranges of a node together
 * @param maxBusyPercent of a second that a range's apply thread may work; more is a reason to split
 * @param cpuLimitPercent of all processors in use, from which on nothing is split
 * @param leastAge of a range that is split or merged
 * @param mergeAfter how long two neighbours must have been idle to become one; 0 for never
 * @param maxRangeBytes size above which a range is split, and half of which no merge exceeds: at
 *     least 16 MiB; 0 for no limit
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

  /*
   * RocksDB's estimates, which sizes are, count deleted rows and are off by megabytes: ranges limited
   * to less would be split again and again. ShapeSettings take less, for tests.
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
              + ": sizes are estimates, and ranges limited to less would be split again and again");
    }
    // Refuses what it cannot work with.
    new ShapeSettings(Set.of(), maxRanges, pause, patience, mergeAfter, maxRangeBytes);
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
   * What the built-in strategy goes by.
   *
   * @param stores by name
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
   * What holds whatever the strategy says.
   *
   * @param stores by name
   */
  public ShapeSettings shapes(Map<String, RangesConfig> stores) {
    Map<String, RangesConfig> split = new HashMap<>(stores);
    split.values().removeIf(store -> !store.splitByLoad());
    return new ShapeSettings(split.keySet(), maxRanges, pause, patience, mergeAfter, maxRangeBytes);
  }
}
