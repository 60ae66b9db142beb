package io.fjordmq.cluster.consensus;

/**
 * Memory and disk settings of the shared log database.
 *
 * @param memtableBytes size of a memtable; two are merged when flushed, so that entries truncated
 *     in the meantime never reach a table file; 0: automatic, see {@link #sizedFor}
 * @param maxWalBytes total size of the write-ahead logs at which the oldest memtables are flushed
 * @param fsync whether an append returns only after the data is synced; false is for tests and
 *     gives no guarantee after a power failure
 */
public record RaftLogSettings(long memtableBytes, long maxWalBytes, boolean fsync) {
  /** Automatic memtables, 256 MiB of write-ahead logs, fsync. */
  public static final RaftLogSettings DEFAULT = new RaftLogSettings(0, 256L << 20, true);

  private static final long DEFAULT_MEMTABLE_BYTES = 32L << 20;

  /**
   * @throws IllegalArgumentException if a size is below 1 MiB, unless it is automatic
   */
  public RaftLogSettings {
    if ((memtableBytes != 0 && memtableBytes < 1 << 20) || maxWalBytes < 1 << 20) {
      throw new IllegalArgumentException(
          "memtableBytes and maxWalBytes must be at least 1 MiB, not %d and %d bytes"
              .formatted(memtableBytes, maxWalBytes));
    }
  }

  /**
   * Returns these settings with a sixth of the memory as the size of an automatic memtable.
   *
   * @param memory bytes that all databases of the node may use, at least 6 MiB
   */
  public RaftLogSettings sizedFor(long memory) {
    return memtableBytes != 0 ? this : new RaftLogSettings(memory / 6, maxWalBytes, fsync);
  }

  /** The size of a memtable: 32 MiB if it is automatic and was not derived from the memory. */
  public long effectiveMemtableBytes() {
    return memtableBytes != 0 ? memtableBytes : DEFAULT_MEMTABLE_BYTES;
  }
}
