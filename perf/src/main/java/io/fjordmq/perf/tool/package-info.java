/**
 * The commands of {@code bin/perf.sh}: parse the arguments, find or start brokers, run the load and
 * write the report.
 *
 * <p>Start at {@link io.fjordmq.perf.tool.PerfTool}.
 */
@NullMarked
package io.fjordmq.perf.tool;

import org.jspecify.annotations.NullMarked;
