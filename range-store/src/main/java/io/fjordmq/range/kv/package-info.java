/**
 * Ordered key-value storage of one node behind a small port: {@link io.fjordmq.range.kv.Kv}.
 *
 * <p>The only package that knows RocksDB. Writes are atomic and not synced: the Raft log is what is
 * fsynced, and whatever a crash takes from here is applied again from it.
 */
@NullMarked
package io.fjordmq.range.kv;

import org.jspecify.annotations.NullMarked;
