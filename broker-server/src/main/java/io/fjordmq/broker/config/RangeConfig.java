package io.fjordmq.broker.config;

import io.fjordmq.range.store.RangeStoreSettings;

/**
 * Settings for range replicas and for the threads that run queries.
 *
 * @param replicas limits and intervals for replicas
 * @param queryThreads number of threads that run queries; a query may block its thread on disk I/O
 * @param maxWaitingQueries maximum number of queries waiting for a thread
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
