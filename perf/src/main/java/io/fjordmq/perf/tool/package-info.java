/**
 * The commands of {@code bin/perf.sh}: parse the arguments, find or start brokers, run the load and
 * write the report.
 *
 * <p>Start at {@link io.fjordmq.perf.tool.PerfTool}. {@code Brokers} starts and stops brokers,
 * {@code LimitedNodes} limits their resources.
 */
@NullMarked
package io.fjordmq.perf.tool;

import org.jspecify.annotations.NullMarked;
