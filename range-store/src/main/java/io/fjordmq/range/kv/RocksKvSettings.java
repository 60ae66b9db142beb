package io.fjordmq.range.kv;

/**
 * Memory and thread limits of {@link RocksKv}. A size that may be 0 is automatic: {@link #sizedFor}
 * derives it from the memory of the node's databases.
 *
 * @param blockCacheBytes cache of table blocks, indexes and filters, shared by all spaces; 0:
 *     automatic
 * @param maxUnwrittenBytes size of a space's write-behind buffer: rows deleted while they are in it
 *     never reach the memtable. 0 disables it
 * @param writeBufferBytes size at which a space's memtable is sealed; memory is allocated as it
 *     fills; 0: automatic
 * @param maxWriteBuffers maximum number of sealed and active memtables of a space; at the limit,
 *     writers wait
 * @param totalWriteBufferBytes limit for all memtables of all spaces; above it, the largest is
 *     sealed; 0: automatic
 * @param maxOpenFiles maximum number of open table files
 * @param backgroundThreads maximum number of concurrent flushes and compactions
 */
public record RocksKvSettings(
    long blockCacheBytes,
    long maxUnwrittenBytes,
    long writeBufferBytes,
    int maxWriteBuffers,
    long totalWriteBufferBytes,
    int maxOpenFiles,
    int backgroundThreads) {

  /**
   * Memory for the databases of a node that has enough: an idle node uses little of it, a busy one
   * at most about this much.
   */
  public static final long DEFAULT_MEMORY = 192L << 20;

  public static final RocksKvSettings DEFAULTS = new RocksKvSettings(0, 4L << 20, 0, 4, 0, 512, 2);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RocksKvSettings {
    requireSize("blockCacheBytes", blockCacheBytes);
    requireAtLeast("maxUnwrittenBytes", maxUnwrittenBytes, 0);
    requireSize("writeBufferBytes", writeBufferBytes);
    requireAtLeast("maxWriteBuffers", maxWriteBuffers, 2);
    requireSize("totalWriteBufferBytes", totalWriteBufferBytes);
    if (totalWriteBufferBytes != 0) {
      requireAtLeast("totalWriteBufferBytes", totalWriteBufferBytes, writeBufferBytes);
    }
    requireAtLeast("maxOpenFiles", maxOpenFiles, 32);
    requireAtLeast("backgroundThreads", backgroundThreads, 1);
  }

  /**
   * Returns these settings with a size in place of each automatic one: a sixth of the memory for
   * the block cache and for a memtable, and four sixths for all memtables. The remaining sixth is
   * for a memtable of the Raft log.
   *
   * @param memory bytes that all databases of the node may use, at least 6 MiB
   */
  public RocksKvSettings sizedFor(long memory) {
    long sixth = memory / 6;
    long total =
        totalWriteBufferBytes != 0 ? totalWriteBufferBytes : Math.max(4 * sixth, writeBufferBytes);
    return new RocksKvSettings(
        blockCacheBytes != 0 ? blockCacheBytes : sixth,
        maxUnwrittenBytes,
        writeBufferBytes != 0 ? writeBufferBytes : Math.min(sixth, total),
        maxWriteBuffers,
        total,
        maxOpenFiles,
        backgroundThreads);
  }

  private static void requireSize(String name, long value) {
    if (value != 0) {
      requireAtLeast(name, value, 1 << 20);
    }
  }

  private static void requireAtLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(name + " must be at least " + minimum + ", not " + value);
    }
  }
}
