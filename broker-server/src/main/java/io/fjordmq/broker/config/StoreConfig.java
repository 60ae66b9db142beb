package io.fjordmq.broker.config;

import io.fjordmq.range.load.SplitLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Settings for the replicated stores.
 *
 * @param leaderTimeout time limit at startup, first for receiving the range descriptors and then
 *     for becoming able to serve clients
 * @param sweepInterval interval between sweeps for expired sessions, expired messages and stale
 *     routes
 * @param dist settings for the ranges of the route store
 * @param inbox settings for the ranges of the inbox store
 * @param retain settings for the ranges of the retain store
 */
public record StoreConfig(
    Duration leaderTimeout,
    Duration sweepInterval,
    RangesConfig dist,
    RangesConfig inbox,
    RangesConfig retain) {
  static final StoreConfig DEFAULTS =
      new StoreConfig(
          Duration.ofMinutes(5),
          Duration.ofSeconds(1),
          RangesConfig.DEFAULTS,
          RangesConfig.DEFAULTS,
          RangesConfig.DEFAULTS);

  /** The settings of the ranges, by store name. */
  public Map<String, RangesConfig> byStore() {
    return Map.of("dist", dist, "inbox", inbox, "retain", retain);
  }

  /** The stores whose ranges are split by load. */
  public Set<String> splitByLoad() {
    Map<String, RangesConfig> split = new HashMap<>(byStore());
    split.values().removeIf(ranges -> !ranges.splitByLoad());
    return split.keySet();
  }

  /** The limits used by the built-in split strategy, by store name. */
  public Map<String, SplitLimits> splitLimits() {
    Map<String, SplitLimits> limits = new HashMap<>();
    byStore().forEach((store, ranges) -> limits.put(store, ranges.splitLimits()));
    return limits;
  }

  public StoreConfig {
    require(
        leaderTimeout.toSeconds() >= 1,
        "leaderTimeout must be at least 1 s, not " + leaderTimeout.toSeconds() + " s");
    require(
        sweepInterval.toMillis() >= 10,
        "sweepInterval must be at least 10 ms, not " + sweepInterval.toMillis() + " ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
