/**
 * Processes on this host: the brokers that the tool starts, the resources that they use, and their
 * limits.
 */
@NullMarked
package io.fjordmq.perf.machine;

import org.jspecify.annotations.NullMarked;
