/**
 * Starts and stops the brokers of a run: FjordMQ nodes of this or another checkout, or mosquitto.
 * Brokers that are already running can be used as well. Start at {@link
 * io.fjordmq.perf.broker.BrokerLauncher}.
 */
@NullMarked
package io.fjordmq.perf.broker;

import org.jspecify.annotations.NullMarked;
