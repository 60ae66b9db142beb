/**
 * Brokers and clients in memory for tests: {@code World} and {@code TestNode} in virtual time,
 * {@code RawBroker} for packets as bytes, and in-memory stores.
 */
@NullMarked
package io.fjordmq.broker.testing;

import org.jspecify.annotations.NullMarked;
