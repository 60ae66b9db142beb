/**
 * Interfaces for operators: metrics, the status page, and the files through which bin/standalone.sh
 * finds the process and sends it commands. Start reading at {@link
 * io.fjordmq.broker.ops.BrokerMetrics}, which holds all metrics.
 *
 * <p>This package observes the other components through their observer interfaces and status
 * methods; they do not depend on this package.
 */
@NullMarked
package io.fjordmq.broker.ops;

import org.jspecify.annotations.NullMarked;
