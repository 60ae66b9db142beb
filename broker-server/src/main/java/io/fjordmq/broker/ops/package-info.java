/**
 * Interfaces for operators: metrics, the status page, and the files through which bin/standalone.sh
 * finds and commands the process. Start at {@link io.fjordmq.broker.ops.BrokerMetrics}, which has
 * all metrics.
 *
 * <p>Observes the other components through their observers and status methods; those do not depend
 * on this package.
 */
@NullMarked
package io.fjordmq.broker.ops;

import org.jspecify.annotations.NullMarked;
