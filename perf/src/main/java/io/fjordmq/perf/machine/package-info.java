/** Processes of this machine: brokers that the tools start, and what they use. */
@NullMarked
package io.fjordmq.perf.machine;

import org.jspecify.annotations.NullMarked;
