package io.fjordmq.perf.ranges;

/**
 * What a full broker carried.
 *
 * @param messagesPerSecond in and out
 * @param cpuMicros of the broker for each of them
 * @param p50Millis from sending to delivery, half of them
 * @param p99Millis the same, 99 %
 */
record Carried(double messagesPerSecond, double cpuMicros, double p50Millis, double p99Millis) {}
