/**
 * Ordered key-value storage of a node behind a small interface: {@link io.fjordmq.range.kv.Kv}.
 *
 * <p>This is the only package that uses RocksDB. Writes are atomic but not synced: the Raft log is
 * synced, and writes lost in a crash are applied again from the log.
 */
@NullMarked
package io.fjordmq.range.kv;

import org.jspecify.annotations.NullMarked;
