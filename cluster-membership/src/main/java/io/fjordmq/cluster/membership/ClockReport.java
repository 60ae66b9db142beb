package io.fjordmq.cluster.membership;

/**
 * The clocks of a node, as reported with each lease renewal.
 *
 * @param wallMillis its wall clock
 * @param clusterMillis cluster time, or the best guess of the node
 * @param known whether {@code clusterMillis} is cluster time, not a guess
 */
record ClockReport(long wallMillis, long clusterMillis, boolean known) {}
