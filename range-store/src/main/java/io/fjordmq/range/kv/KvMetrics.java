package io.fjordmq.range.kv;

/**
 * Figures of a storage at one moment, over all spaces.
 *
 * @param unwrittenBytes in memory before the memtables
 * @param memtableBytes written and not yet in a table file
 * @param blockCacheBytes cached blocks of table files
 * @param tableFileBytes size of all table files
 * @param pendingCompactionBytes estimated work the background still has
 * @param writeStopped whether writers wait because the background is too far behind
 * @param backgroundErrors errors met by flushes and compactions since start
 */
public record KvMetrics(
    long unwrittenBytes,
    long memtableBytes,
    long blockCacheBytes,
    long tableFileBytes,
    long pendingCompactionBytes,
    boolean writeStopped,
    long backgroundErrors) {}
