/**
 * Calls the ranges of the {@code inbox} store. {@link io.fjordmq.inbox.client.ReplicatedInboxStore}
 * turns calls into commands and queries and sends them to the range that holds the bucket of the
 * client; {@code CommitCoalescer} batches acknowledgements. {@link
 * io.fjordmq.inbox.client.InboxSweeper} proposes the changes that are due; the time of the log
 * entry decides which are applied.
 */
@NullMarked
package io.fjordmq.inbox.client;

import org.jspecify.annotations.NullMarked;
