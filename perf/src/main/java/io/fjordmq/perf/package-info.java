/**
 * Measures brokers of any kind from outside, as whole processes: the clients of all benchmarks, and
 * single benchmarks that scripts start.
 *
 * <p>The load tool starts at {@link io.fjordmq.perf.tool.PerfTool}, the comparison with mosquitto
 * at {@link io.fjordmq.perf.Figures}. This package does not use the broker's code: it speaks MQTT
 * over sockets to loopback addresses and reads the broker's CPU time and memory from {@code /proc}.
 */
@NullMarked
package io.fjordmq.perf;

import org.jspecify.annotations.NullMarked;
