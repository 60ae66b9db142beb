/**
 * Persistent sessions: their subscriptions, undelivered messages, will and expiry. Start at {@link
 * io.fjordmq.inbox.InboxStore}.
 *
 * <p>Replicated in the {@code inbox} store. Knows neither routes nor retained messages nor
 * connections.
 */
@NullMarked
package io.fjordmq.inbox;

import org.jspecify.annotations.NullMarked;
