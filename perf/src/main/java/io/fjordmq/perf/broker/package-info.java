/**
 * Starts and stops the brokers of a run: FjordMQ nodes of this or another checkout, mosquitto, or
 * none if the broker is already running. Start at {@link io.fjordmq.perf.broker.BrokerLauncher}.
 */
@NullMarked
package io.fjordmq.perf.broker;

import org.jspecify.annotations.NullMarked;
