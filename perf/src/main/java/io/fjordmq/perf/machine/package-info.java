/**
 * Processes of this host: the brokers that the tools start, the resources they use and their
 * limits.
 */
@NullMarked
package io.fjordmq.perf.machine;

import org.jspecify.annotations.NullMarked;
