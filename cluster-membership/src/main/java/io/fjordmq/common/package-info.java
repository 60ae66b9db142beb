/**
 * Utilities for all modules above {@code broker-api}: readers and writers of stored and sent
 * formats, timers, and exceptions with a kind. Nothing here depends on other parts of FjordMQ
 * except {@link io.fjordmq.common.MessageCodec}, which encodes the messages of {@code broker-api}.
 * Ranges and the cluster do not use that class, because they do not interpret messages (decision
 * 0004).
 *
 * <p>Start at {@link io.fjordmq.common.ByteWriter} and {@link
 * io.fjordmq.common.NewerFormatException}. {@link io.fjordmq.common.ByteReader}, {@link
 * io.fjordmq.common.ByteWriter} and {@link io.fjordmq.common.MessageCodec} are for one thread at a
 * time.
 */
@NullMarked
package io.fjordmq.common;

import org.jspecify.annotations.NullMarked;
