package io.fjordmq.range.kv;

/**
 * How much memory and how many threads {@link RocksKv} may use.
 *
 * @param blockCacheBytes cache of table blocks, indexes and filters, shared by all spaces
 * @param maxUnwrittenBytes rows of one space that are kept out of its memtable: what comes and goes
 *     among them never gets there. 0 writes at once
 * @param writeBufferBytes size at which one space's memtable is sealed; memory is taken as it fills
 * @param maxWriteBuffers sealed and active memtables a space may hold; writers wait beyond
 * @param totalWriteBufferBytes all memtables of all spaces together; the largest is sealed beyond
 * @param maxOpenFiles table files kept open
 * @param backgroundThreads flushes and compactions at the same time
 */
public record RocksKvSettings(
    long blockCacheBytes,
    long maxUnwrittenBytes,
    long writeBufferBytes,
    int maxWriteBuffers,
    long totalWriteBufferBytes,
    int maxOpenFiles,
    int backgroundThreads) {

  /** Lean: an idle node stays small, a busy one takes at most about 200 MB. */
  public static final RocksKvSettings DEFAULTS =
      new RocksKvSettings(32L << 20, 4L << 20, 32L << 20, 4, 128L << 20, 512, 2);

  /**
   * @throws IllegalArgumentException if a value makes no sense; the message names it
   */
  public RocksKvSettings {
    atLeast("blockCacheBytes", blockCacheBytes, 1 << 20);
    atLeast("maxUnwrittenBytes", maxUnwrittenBytes, 0);
    atLeast("writeBufferBytes", writeBufferBytes, 1 << 20);
    atLeast("maxWriteBuffers", maxWriteBuffers, 2);
    atLeast("totalWriteBufferBytes", totalWriteBufferBytes, writeBufferBytes);
    atLeast("maxOpenFiles", maxOpenFiles, 32);
    atLeast("backgroundThreads", backgroundThreads, 1);
  }

  private static void atLeast(String name, long value, long least) {
    if (value < least) {
      throw new IllegalArgumentException(name + " must be at least " + least + ", not " + value);
    }
  }
}
