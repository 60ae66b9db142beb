/**
 * Retained messages: the last one of each topic. Start at {@link io.fjordmq.retain.RetainStore},
 * which the broker calls.
 *
 * <p>The messages are replicated in the {@code retain} store. This package does not depend on
 * routes or sessions. Its parts have the same names as in every other store:
 *
 * <ul>
 *   <li>{@code RetainCoprocessor} decodes a {@code RetainCommand}, which applies itself to {@code
 *       RetainRows}: the rows, in the formats of {@code RetainKeys} and {@code RetainRow}, and the
 *       {@code RetainMemory} derived from them. The result depends only on the rows and the
 *       command.
 *   <li>A {@code RetainQuery} finds matching messages with a {@code RetainScan}.
 *   <li>{@link io.fjordmq.retain.RetainReplicas} registers the store and knows the replicas that
 *       are open on this node.
 * </ul>
 *
 * <p>The subpackage {@code client} calls the ranges and proposes their maintenance.
 */
@NullMarked
package io.fjordmq.retain;

import org.jspecify.annotations.NullMarked;
