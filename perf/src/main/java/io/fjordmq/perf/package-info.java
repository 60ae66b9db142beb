/**
 * Measures a broker of any make from outside, as a whole process: the clients of all measurements,
 * and single ones that scripts start.
 *
 * <p>The load tool begins at {@link io.fjordmq.perf.tool.PerfTool}, the figures next to mosquitto
 * at {@link io.fjordmq.perf.Figures}. Knows nothing of the broker's code: it speaks MQTT over
 * sockets to loopback addresses and reads the broker's CPU time and memory from {@code /proc}.
 */
@NullMarked
package io.fjordmq.perf;

import org.jspecify.annotations.NullMarked;
