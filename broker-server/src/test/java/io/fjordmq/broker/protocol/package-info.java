/**
 * MQTT 3.1, 3.1.1 and 5.0 statement by statement, byte by byte: each test names the normative
 * statement it holds ({@code [MQTT-3.1.2-7]}; those of MQTT 3.1.1 with {@code 3.1.1:}, sections of
 * MQTT 3.1, which numbers none, with {@code 3.1:}). One class per group of packets. {@code Packets}
 * writes packets, {@code RawBroker} of the package {@code net} carries them.
 */
@NullMarked
package io.fjordmq.broker.protocol;

import org.jspecify.annotations.NullMarked;
