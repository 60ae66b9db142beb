/**
 * Replicated, ordered key ranges (Multi-Raft). Keys, commands and responses are opaque bytes; this
 * package does not depend on MQTT.
 *
 * <p>Start at {@link io.fjordmq.range.RangeClient}, which stores call, and {@link
 * io.fjordmq.range.Coprocessor}, which stores implement. {@code range.kv} is the only package that
 * uses RocksDB.
 */
@NullMarked
package io.fjordmq.range;

import org.jspecify.annotations.NullMarked;
