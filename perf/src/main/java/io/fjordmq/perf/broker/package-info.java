/**
 * Starts and stops the brokers of a run: FjordMQ nodes of this or another checkout, or mosquitto.
 * If a broker is already running, starts nothing. Start at {@link
 * io.fjordmq.perf.broker.BrokerLauncher}.
 */
@NullMarked
package io.fjordmq.perf.broker;

import org.jspecify.annotations.NullMarked;
