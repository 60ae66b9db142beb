package io.fjordmq.cluster.consensus;

/**
 * How quick the writes of the log are.
 *
 * @param waitingMillis how long the oldest write under way has been waiting; 0 if there is none
 * @param slowestMillis what the slowest took that ended since this was last asked; 0 if none did
 */
public record LogLatency(long waitingMillis, long slowestMillis) {}
