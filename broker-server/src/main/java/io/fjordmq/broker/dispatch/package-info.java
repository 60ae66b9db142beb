/**
 * Local dispatch: the subscriptions of connected clients, and the path of a message to the clients'
 * event loops. Start reading at {@link io.fjordmq.broker.dispatch.LocalSubscriptions}, which finds
 * the subscribers; continue with {@link io.fjordmq.broker.dispatch.LiveDispatch}, whose mailboxes
 * and outboxes carry the deliveries.
 *
 * <p>Each connected client is represented by a {@link io.fjordmq.broker.dispatch.LiveSession}. This
 * package depends on neither {@code broker.session} nor {@code broker.nodes}, and owns no threads.
 */
@NullMarked
package io.fjordmq.broker.dispatch;

import org.jspecify.annotations.NullMarked;
