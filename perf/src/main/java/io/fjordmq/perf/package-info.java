/**
 * The load tool: measures a broker of any make from outside, as a whole process.
 *
 * <p>Start at {@link io.fjordmq.perf.Figures}. Knows nothing of the broker's code: it speaks MQTT
 * over sockets to loopback addresses and reads the broker's CPU time and memory from {@code /proc}.
 */
@NullMarked
package io.fjordmq.perf;

import org.jspecify.annotations.NullMarked;
