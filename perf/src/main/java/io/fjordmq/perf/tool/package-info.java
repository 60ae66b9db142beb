/**
 * What {@code bin/perf.sh} starts: reads the command, finds or starts brokers, has the load run and
 * writes what came of it. Start at {@link io.fjordmq.perf.tool.PerfTool}. What it starts is in
 * {@code Brokers}, within the limits of {@code LimitedNodes}, and ends with it.
 */
@NullMarked
package io.fjordmq.perf.tool;

import org.jspecify.annotations.NullMarked;
