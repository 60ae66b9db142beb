/**
 * Persistent sessions: their subscriptions, undelivered messages, will and expiry.
 *
 * <p>Start at {@link io.fjordmq.inbox.InboxStore}, what the broker calls, and {@link
 * io.fjordmq.inbox.InboxListener}, what it is told. Behind them:
 *
 * <ul>
 *   <li>{@code ReplicatedInboxStore} turns calls into commands and queries and sends them to the
 *       range that holds the client's bucket; {@code CommitCoalescer} gathers acknowledgements on
 *       the way.
 *   <li>{@code InboxCommand} lists everything that changes an inbox. Each command applies itself to
 *       {@code InboxTables}, on every replica alike; {@code InsertMessage} and {@code EntryQueue}
 *       are the hot path.
 *   <li>{@code InboxKeys} draws the rows. What a replica keeps in memory ({@code InboxMemory})
 *       follows from them and may be forgotten at any time.
 *   <li>{@code LeftToShares} keeps what an ended session has to leave to other members of shares.
 *   <li>{@code InboxSweeper} has time act: it proposes, the log entry's time decides.
 * </ul>
 *
 * <p>Replicated in the {@code inbox} store. Knows neither routes nor retained messages nor
 * connections. docs/decisions/0010 to 0012 say why it is as it is.
 */
@NullMarked
package io.fjordmq.inbox;

import org.jspecify.annotations.NullMarked;
