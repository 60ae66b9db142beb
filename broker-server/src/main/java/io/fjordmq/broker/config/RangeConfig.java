package io.fjordmq.broker.config;

import io.fjordmq.range.store.RangeStoreSettings;

/**
 * Replicas of ranges, and the threads that run queries.
 *
 * @param replicas limits and intervals of replicas
 * @param queryThreads number of threads that run queries; each may block on the disk
 * @param maxWaitingQueries limit of queries that wait for a thread
 */
public record RangeConfig(
    @Flattened RangeStoreSettings replicas, int queryThreads, int maxWaitingQueries) {
  static final RangeConfig DEFAULTS = new RangeConfig(RangeStoreSettings.DEFAULTS, 2, 1_024);

  public RangeConfig {
    require(queryThreads >= 1, "queryThreads must be at least 1, not " + queryThreads);
    require(
        maxWaitingQueries >= 1, "maxWaitingQueries must be at least 1, not " + maxWaitingQueries);
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
