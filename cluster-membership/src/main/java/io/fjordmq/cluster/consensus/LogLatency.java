package io.fjordmq.cluster.consensus;

/**
 * Latency of log writes.
 *
 * @param waitingMillis age of the oldest write in progress; 0 if there is none
 * @param slowestMillis duration of the slowest write that completed since the previous call; 0 if
 *     there was none
 */
public record LogLatency(long waitingMillis, long slowestMillis) {}
