/**
 * The log: its format, and the levels of its loggers, which operators change at run time on one
 * node ({@link io.fjordmq.broker.logging.LogLevels}) or on all of them ({@link
 * io.fjordmq.broker.logging.ClusterLogLevels}). Nothing else uses the logging library itself.
 */
@NullMarked
package io.fjordmq.broker.logging;

import org.jspecify.annotations.NullMarked;
