package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * Settings for the disk that holds dataDir.
 *
 * @param minFreeBytes free space below which the node refuses messages that it would have to store;
 *     0 to accept messages until the disk is full
 * @param checkInterval interval between measurements of the free space
 * @param slowAfter write latency at which the disk counts as slow and other nodes take over
 *     leadership; while a write is stuck for twice as long, the node is suspended
 */
public record DiskConfig(long minFreeBytes, Duration checkInterval, Duration slowAfter) {
  static final DiskConfig DEFAULTS =
      new DiskConfig(256L << 20, Duration.ofSeconds(1), Duration.ofSeconds(2));

  public DiskConfig {
    require(minFreeBytes >= 0, "minFreeBytes must be at least 0, not " + minFreeBytes);
    require(
        checkInterval.toMillis() >= 10,
        "checkInterval must be at least 10 ms, not " + checkInterval.toMillis() + " ms");
    require(
        slowAfter.toMillis() >= 100,
        "slowAfter must be at least 100 ms, not " + slowAfter.toMillis() + " ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
