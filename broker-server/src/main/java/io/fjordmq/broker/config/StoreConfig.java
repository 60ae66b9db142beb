package io.fjordmq.broker.config;

import io.fjordmq.range.load.SplitLimits;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * The replicated stores.
 *
 * @param leaderTimeout how long a start waits for the ranges and until the node serves clients
 * @param sweepInterval interval of the sweeps for expired sessions and messages and stale routes
 * @param dist routes
 * @param inbox persistent sessions
 * @param retain retained messages
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

  /** The ranges by the name of the store. */
  public Map<String, RangesConfig> byStore() {
    return Map.of("dist", dist, "inbox", inbox, "retain", retain);
  }

  /** The stores whose ranges are split by load. */
  public Set<String> splitByLoad() {
    Map<String, RangesConfig> split = new HashMap<>(byStore());
    split.values().removeIf(ranges -> !ranges.splitByLoad());
    return split.keySet();
  }

  /** The limits of the built-in split strategy, by the name of the store. */
  public Map<String, SplitLimits> splitLimits() {
    Map<String, SplitLimits> limits = new HashMap<>();
    byStore().forEach((store, ranges) -> limits.put(store, ranges.splitLimits()));
    return limits;
  }

  public StoreConfig {
    require(leaderTimeout.toSeconds() >= 1, "leaderTimeout must be at least 1 s");
    require(sweepInterval.toMillis() >= 10, "sweepInterval must be at least 10 ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
