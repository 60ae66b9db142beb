/**
 * Persistent sessions: their subscriptions, undelivered messages, will and expiry.
 *
 * <p>Start at {@link io.fjordmq.inbox.InboxStore}, which the broker calls, and {@link
 * io.fjordmq.inbox.InboxListener}, which calls the broker. Behind them:
 *
 * <ul>
 *   <li>{@code ReplicatedInboxStore} turns calls into commands and queries and sends them to the
 *       range that holds the client's bucket; {@code CommitCoalescer} batches acknowledgements.
 *   <li>{@code InboxCommand} lists all commands that change inboxes. Each command applies itself to
 *       {@code InboxTables}, with the same result on every replica; {@code InsertMessage} and
 *       {@code EntryQueue} are the hot path.
 *   <li>{@code InboxKeys} describes the rows. The state that a replica keeps in memory ({@code
 *       InboxMemory}) is derived from them and can be rebuilt at any time.
 *   <li>{@code LeftToShares} keeps the undelivered share messages of an ended session for other
 *       members.
 *   <li>{@code InboxSweeper} proposes the changes that are due; the time of the log entry decides
 *       which are applied.
 * </ul>
 *
 * <p>The sessions are replicated in the {@code inbox} store. This package knows nothing about
 * routes, retained messages or connections. For the reasons behind the design, see
 * docs/decisions/0010 to 0012.
 */
@NullMarked
package io.fjordmq.inbox;

import org.jspecify.annotations.NullMarked;
