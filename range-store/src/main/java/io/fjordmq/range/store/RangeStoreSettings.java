package io.fjordmq.range.store;

import java.time.Duration;

/**
 * Limits and intervals of a node's replicas; part of the configuration section {@code rangeConfig}.
 *
 * @param maxEntryBytes largest log entry that a replica proposes; larger ones are rejected
 * @param maxWriteBytes size at which no further entry is added to one storage write
 * @param groupCommitInterval minimum time between two appends of batches that their senders allow
 *     to defer, so that the batches of several busy nodes share an append and an fsync. The
 *     responses tell these nodes when the next one is due. Zero disables deferring
 * @param maxSenders maximum number of clients that a range remembers; beyond it, the least recently
 *     used one is evicted and has to register again
 * @param checkpointInterval how often applied entries are made durable, so that the log can drop
 *     them
 * @param checkpointLogBytes bytes of log of all ranges since the last checkpoint that trigger the
 *     next one early; should be well below the size of the log's memtables, so that entries are
 *     truncated while they are in memory and never reach a table file
 * @param reopenBackoff delay before a halted replica is reopened; doubles with each failure
 * @param maxReopenBackoff maximum of this delay
 * @param comparisonInterval how often the leader of a range compares hashes of all its rows with
 *     those of the other replicas; zero disables comparisons
 * @param comparisonBytesPerSecond rate at which this node reads rows to hash them, over all ranges
 */
public record RangeStoreSettings(
    int maxEntryBytes,
    long maxWriteBytes,
    Duration groupCommitInterval,
    int maxSenders,
    Duration checkpointInterval,
    long checkpointLogBytes,
    Duration reopenBackoff,
    Duration maxReopenBackoff,
    Duration comparisonInterval,
    long comparisonBytesPerSecond) {

  /** The default settings. */
  public static final RangeStoreSettings DEFAULTS =
      new RangeStoreSettings(
          4 << 20,
          4L << 20,
          Duration.ofMillis(4),
          1024,
          Duration.ofSeconds(30),
          16L << 20,
          Duration.ofSeconds(1),
          Duration.ofSeconds(30),
          Duration.ofHours(1),
          1L << 20);

  /**
   * @throws IllegalArgumentException if a value is out of bounds; the message names it
   */
  public RangeStoreSettings {
    requireAtLeast("maxEntryBytes", maxEntryBytes, 1024);
    requireAtLeast("maxWriteBytes", maxWriteBytes, 1024);
    requireAtLeast("groupCommitInterval in milliseconds", groupCommitInterval.toMillis(), 0);
    requireAtLeast("maxSenders", maxSenders, 1);
    requireAtLeast("checkpointInterval in milliseconds", checkpointInterval.toMillis(), 1);
    requireAtLeast("checkpointLogBytes", checkpointLogBytes, 1);
    requireAtLeast("reopenBackoff in milliseconds", reopenBackoff.toMillis(), 1);
    requireAtLeast(
        "maxReopenBackoff in milliseconds", maxReopenBackoff.toMillis(), reopenBackoff.toMillis());
    requireAtLeast("comparisonInterval in milliseconds", comparisonInterval.toMillis(), 0);
    requireAtLeast("comparisonBytesPerSecond", comparisonBytesPerSecond, 1024);
  }

  private static void requireAtLeast(String name, long value, long min) {
    if (value < min) {
      throw new IllegalArgumentException(name + " must be at least " + min + ", not " + value);
    }
  }
}
