package io.fjordmq.cluster.membership;

/**
 * What a node says of its clocks with each renewal.
 *
 * @param wallMillis its wall clock
 * @param clusterMillis cluster time, or its best guess
 * @param known whether it is cluster time
 */
record ClockReport(long wallMillis, long clusterMillis, boolean known) {}
