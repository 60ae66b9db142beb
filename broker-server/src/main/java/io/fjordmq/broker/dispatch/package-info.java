/**
 * Local dispatch: the subscriptions of connected clients, and the path of a message to their event
 * loops. Start at {@link io.fjordmq.broker.dispatch.LocalSubscriptions}, which finds the
 * subscribers, then {@link io.fjordmq.broker.dispatch.LiveDispatch}, whose mailboxes and outboxes
 * carry deliveries.
 *
 * <p>A connected client is a {@link io.fjordmq.broker.dispatch.LiveSession}. This package uses
 * neither {@code broker.session} nor {@code broker.nodes}. It owns no threads.
 */
@NullMarked
package io.fjordmq.broker.dispatch;

import org.jspecify.annotations.NullMarked;
