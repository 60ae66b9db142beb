package io.fjordmq.broker.config;

import java.time.Duration;

/**
 * The disk of dataDir.
 *
 * @param minFreeBytes free space below which messages that have to be stored are refused; 0 to
 *     accept them until the disk is full
 * @param checkInterval interval of the measurements
 * @param slowAfter duration from which a write counts as slow, so that other nodes take over
 *     leadership; while a write is stuck for twice that, the node is suspended
 */
public record DiskConfig(long minFreeBytes, Duration checkInterval, Duration slowAfter) {
  static final DiskConfig DEFAULTS =
      new DiskConfig(256L << 20, Duration.ofSeconds(1), Duration.ofSeconds(2));

  public DiskConfig {
    require(minFreeBytes >= 0, "minFreeBytes must be at least 0, not " + minFreeBytes);
    require(checkInterval.toMillis() >= 10, "checkInterval must be at least 10 ms");
    require(slowAfter.toMillis() >= 100, "slowAfter must be at least 100 ms");
  }

  private static void require(boolean valid, String message) {
    if (!valid) {
      throw new IllegalArgumentException(message);
    }
  }
}
