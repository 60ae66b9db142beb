package io.fjordmq.cluster.consensus;

/**
 * How the shared log database uses memory and disk.
 *
 * @param memtableBytes entries kept in memory before they are written to a table file; two are
 *     merged when written, so that entries truncated in the meantime never reach a file
 * @param maxWalBytes size of all write-ahead files at which the oldest data is written to tables
 * @param fsync whether an append returns only when the data is on the medium; false is for tests
 *     and gives up every promise about power loss
 */
public record LogSettings(long memtableBytes, long maxWalBytes, boolean fsync) {
  /** 32 MiB memtables, 256 MiB of write-ahead files, fsync. */
  public static final LogSettings DEFAULT = new LogSettings(32L << 20, 256L << 20, true);

  /**
   * @throws IllegalArgumentException if a size is below 1 MiB
   */
  public LogSettings {
    if (memtableBytes < 1 << 20 || maxWalBytes < 1 << 20) {
      throw new IllegalArgumentException("memtableBytes and maxWalBytes must be at least 1 MiB");
    }
  }
}
