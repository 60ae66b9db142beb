/**
 * Processes of this machine: brokers that the tools start, what they use, and what they may use.
 */
@NullMarked
package io.fjordmq.perf.machine;

import org.jspecify.annotations.NullMarked;
