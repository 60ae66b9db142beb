/**
 * Measurements of every node for dashboards: samples of the last hour in bounded memory ({@link
 * io.fjordmq.broker.monitor.Sampler}), and current values and counters. {@link
 * io.fjordmq.broker.monitor.MonitorQueries} merges the values of all nodes (decision 0065).
 */
@NullMarked
package io.fjordmq.broker.monitor;

import org.jspecify.annotations.NullMarked;
