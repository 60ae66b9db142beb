package io.fjordmq.range.kv;

/**
 * A point-in-time view of the metrics of a storage, over all spaces.
 *
 * @param unwrittenBytes bytes in the write-behind buffers, before the memtables
 * @param memtableBytes bytes in memtables
 * @param blockCacheBytes bytes of table blocks in the block cache
 * @param tableFileBytes size of all table files
 * @param pendingCompactionBytes estimated bytes that compactions still have to rewrite
 * @param writeStopped whether RocksDB stops writes until flushes and compactions catch up
 * @param backgroundErrors errors of flushes and compactions since start
 */
public record KvMetrics(
    long unwrittenBytes,
    long memtableBytes,
    long blockCacheBytes,
    long tableFileBytes,
    long pendingCompactionBytes,
    boolean writeStopped,
    long backgroundErrors) {}
