package io.fjordmq.broker.config;

import io.fjordmq.range.load.SplitLimits;
import io.fjordmq.range.placement.StorePlacement;

/**
 * Settings for the ranges of one store.
 *
 * @param replicaVoterCount number of voters per range in a new cluster; 0 for 3, or for the number
 *     of nodes if there are fewer
 * @param splitByLoad whether ranges are split by load
 * @param splitLimits limits used by the built-in split strategy
 */
public record RangesConfig(
    int replicaVoterCount, boolean splitByLoad, @Flattened SplitLimits splitLimits) {
  static final RangesConfig DEFAULTS = new RangesConfig(0, true, SplitLimits.DEFAULTS);

  private static final int DEFAULT_VOTERS = 3;

  public RangesConfig {
    require(
        replicaVoterCount >= 0 && replicaVoterCount <= StorePlacement.MAX_VOTERS,
        "replicaVoterCount must be between 0 and 5, not " + replicaVoterCount);
  }

  StorePlacement placement(String store, boolean onEveryNode) {
    int voters = replicaVoterCount == 0 ? DEFAULT_VOTERS : replicaVoterCount;
    return new StorePlacement(store, voters, onEveryNode);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
