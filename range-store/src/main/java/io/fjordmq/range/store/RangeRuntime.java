package io.fjordmq.range.store;

import io.fjordmq.range.Timers;
import java.time.InstantSource;
import java.util.concurrent.Executor;

/**
 * Time and threads of a node's replicas; simulated ones in tests.
 *
 * @param clock wall clock, stamped into entries
 * @param timers for checkpoints and reopening
 * @param queries runs queries; they read from disk. May refuse by {@link
 *     java.util.concurrent.RejectedExecutionException} when too many wait
 * @param supervisor opens, closes and checkpoints replicas; one task at a time; may block
 */
public record RangeRuntime(
    InstantSource clock, Timers timers, Executor queries, Executor supervisor) {}
