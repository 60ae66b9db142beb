/**
 * Replicated, ordered key ranges (Multi-Raft): bytes in, bytes out. Knows no MQTT.
 *
 * <p>Start at {@link io.fjordmq.range.RangeClient} (what the stores above call) and {@link
 * io.fjordmq.range.Coprocessor} (what a store is inside a range). {@code range.kv} is the only
 * package that knows RocksDB.
 */
@NullMarked
package io.fjordmq.range;

import org.jspecify.annotations.NullMarked;
