/**
 * Traces: text files that contain the packets and decisions of one client, topic filter or network.
 *
 * <p>Definitions of traces are records of the metadata group ({@link
 * io.fjordmq.broker.trace.Traces}), so every node traces what matches and writes it to its own
 * bounded file. {@link io.fjordmq.broker.trace.Tracer} is what sessions and delivery call; it costs
 * one read of a field while nothing matches. Lines are formatted on the calling thread and written
 * by the thread {@code traces}. {@link io.fjordmq.broker.trace.TraceLogs} reads the files of all
 * nodes.
 */
@NullMarked
package io.fjordmq.broker.trace;

import org.jspecify.annotations.NullMarked;
