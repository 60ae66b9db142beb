package io.fjordmq.cluster.consensus;

/**
 * Memory and disk settings of the shared log database.
 *
 * @param memtableBytes size of a memtable; two are merged when flushed, so that entries truncated
 *     in the meantime never reach a table file
 * @param maxWalBytes total size of the write-ahead logs at which the oldest memtables are flushed
 * @param fsync whether an append returns only after the data is synced; false is for tests and
 *     gives no guarantee after a power failure
 */
public record LogSettings(long memtableBytes, long maxWalBytes, boolean fsync) {
  /** 32 MiB memtables, 256 MiB of write-ahead logs, fsync. */
  public static final LogSettings DEFAULT = new LogSettings(32L << 20, 256L << 20, true);

  /**
   * @throws IllegalArgumentException if a size is below 1 MiB
   */
  public LogSettings {
    if (memtableBytes < 1 << 20 || maxWalBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "memtableBytes and maxWalBytes must be at least 1 MiB, not %d and %d bytes"
              .formatted(memtableBytes, maxWalBytes));
    }
  }
}
