package io.fjordmq.perf.ranges;

/**
 * Throughput and latency of a saturated broker.
 *
 * @param messagesPerSecond in and out
 * @param cpuMicros of the broker per message
 * @param p50Millis median from send to delivery
 * @param p99Millis the same, 99th percentile
 */
record SaturatedThroughput(
    double messagesPerSecond, double cpuMicros, double p50Millis, double p99Millis) {}
