/**
 * The clients of the load tool and of all benchmarks: they speak MQTT over sockets and do not use
 * the broker's code.
 *
 * <p>The load tool starts at {@link io.fjordmq.perf.tool.PerfTool}.
 */
@NullMarked
package io.fjordmq.perf;

import org.jspecify.annotations.NullMarked;
