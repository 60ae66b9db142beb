/**
 * Persistent sessions: their subscriptions, undelivered messages, will and expiry. Start at {@link
 * io.fjordmq.inbox.InboxStore}, which the broker calls, and {@link io.fjordmq.inbox.InboxListener},
 * which calls the broker.
 *
 * <p>The sessions are replicated in the {@code inbox} store. This package does not depend on
 * routes, retained messages or connections. For the reasons behind the design, see
 * docs/decisions/0010 to 0012. Its parts have the same names as in every other store:
 *
 * <ul>
 *   <li>{@code InboxCoprocessor} decodes an {@code InboxCommand}, which applies itself to {@code
 *       InboxRows}: the rows, whose keys {@code InboxKeys} describes, and the {@code InboxMemory}
 *       derived from them. The result depends only on the rows and the command.
 *   <li>{@code InsertMessage} and {@code EntryQueue} are the hot path; {@code UndeliveredShares}
 *       keeps the undelivered messages of an ended session's shared subscriptions for other
 *       members.
 *   <li>An {@code InboxQuery} reads rows and changes nothing.
 *   <li>{@code InboxEffects} notifies the listener, on the leader, of the effects of commands.
 *   <li>{@link io.fjordmq.inbox.InboxReplicas} registers the store and knows the replicas that are
 *       open on this node.
 * </ul>
 *
 * <p>The subpackage {@code client} calls the ranges and proposes their maintenance.
 */
@NullMarked
package io.fjordmq.inbox;

import org.jspecify.annotations.NullMarked;
