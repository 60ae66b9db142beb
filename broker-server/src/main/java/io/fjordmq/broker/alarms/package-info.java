/**
 * Alarms: conditions that an operator should look at, such as a low disk, a range without a leader
 * or a certificate that expires soon. Each node evaluates its conditions periodically ({@link
 * io.fjordmq.broker.alarms.AlarmMonitor}) and keeps its alarms in bounded memory; {@link
 * io.fjordmq.broker.alarms.AlarmQueries} merges the alarms of all nodes (decision 0065).
 *
 * <p>This package knows neither metrics nor the API; both depend on it.
 */
@NullMarked
package io.fjordmq.broker.alarms;

import org.jspecify.annotations.NullMarked;
