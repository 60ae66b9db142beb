package io.fjordmq.range.kv;

/**
 * Memory and thread limits of {@link RocksKv}.
 *
 * @param blockCacheBytes cache of table blocks, indexes and filters, shared by all spaces
 * @param maxUnwrittenBytes size of a space's write-behind buffer: rows deleted while they are in it
 *     never reach the memtable. 0 disables it
 * @param writeBufferBytes size at which a space's memtable is sealed; memory is allocated as it
 *     fills
 * @param maxWriteBuffers maximum number of sealed and active memtables of a space; at the limit,
 *     writers wait
 * @param totalWriteBufferBytes limit for all memtables of all spaces; above it, the largest is
 *     sealed
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

  /** Small footprint: an idle node uses little memory, a busy one at most about 200 MB. */
  public static final RocksKvSettings DEFAULTS =
      new RocksKvSettings(32L << 20, 4L << 20, 32L << 20, 4, 128L << 20, 512, 2);

  /**
   * @throws IllegalArgumentException if a value is out of range; the message names it
   */
  public RocksKvSettings {
    requireAtLeast("blockCacheBytes", blockCacheBytes, 1 << 20);
    requireAtLeast("maxUnwrittenBytes", maxUnwrittenBytes, 0);
    requireAtLeast("writeBufferBytes", writeBufferBytes, 1 << 20);
    requireAtLeast("maxWriteBuffers", maxWriteBuffers, 2);
    requireAtLeast("totalWriteBufferBytes", totalWriteBufferBytes, writeBufferBytes);
    requireAtLeast("maxOpenFiles", maxOpenFiles, 32);
    requireAtLeast("backgroundThreads", backgroundThreads, 1);
  }

  private static void requireAtLeast(String name, long value, long minimum) {
    if (value < minimum) {
      throw new IllegalArgumentException(name + " must be at least " + minimum + ", not " + value);
    }
  }
}
