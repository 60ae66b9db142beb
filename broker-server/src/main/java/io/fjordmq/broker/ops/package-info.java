/**
 * What operators see: metrics and health over HTTP, and the files by which bin/standalone.sh knows
 * the process. Start at {@link io.fjordmq.broker.ops.BrokerMetrics}: every metric is there.
 *
 * <p>Listens to the other parts through their observers and status methods; none of them knows this
 * package.
 */
@NullMarked
package io.fjordmq.broker.ops;

import org.jspecify.annotations.NullMarked;
