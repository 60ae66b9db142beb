/**
 * Tests MQTT 3.1, 3.1.1 and 5.0 statement by statement, on raw bytes. Each test names the normative
 * statement it covers ({@code [MQTT-3.1.2-7]}; {@code 3.1.1:} marks statements of MQTT 3.1.1,
 * {@code 3.1:} sections of MQTT 3.1). One class per group of packets. {@code Packets} builds
 * packets, and {@code RawBroker} sends them to a broker.
 */
@NullMarked
package io.fjordmq.broker.protocol;

import org.jspecify.annotations.NullMarked;
