/**
 * Calls the ranges of the {@code retain} store. {@link
 * io.fjordmq.retain.client.ReplicatedRetainStore} sends commands and queries; {@link
 * io.fjordmq.retain.client.RetainSweeper} removes expired messages.
 */
@NullMarked
package io.fjordmq.retain.client;

import org.jspecify.annotations.NullMarked;
