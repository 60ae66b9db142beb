/**
 * The distribution of published messages: retain, match, deliver to inboxes and live sessions,
 * acknowledge. Start at {@link io.fjordmq.broker.delivery.PublishRouter}, then {@link
 * io.fjordmq.broker.delivery.Distribution}.
 *
 * <p>From there a message goes to the retain store, to inboxes ({@code InboxDelivery}), to other
 * nodes ({@code OtherNodes}), and to the sessions of this node: {@link
 * io.fjordmq.broker.delivery.LocalSubscriptions} finds them, {@link
 * io.fjordmq.broker.delivery.LiveDispatch} hands it to their event loops. Shares pick one member of
 * either kind ({@code ShareDelivery}). Events of inboxes come back through {@link
 * io.fjordmq.broker.delivery.InboxEvents}.
 *
 * <p>Built in this order: {@code LiveDispatch}, {@code LocalSubscriptions}, {@code
 * SessionRegistry}, {@code InboxEvents} (given to the inbox store as its listener), {@code
 * Distribution}, {@code WillService}, {@code InboxRoutes}, then {@code InboxEvents.connect}. The
 * package owns no threads: work runs on the threads of callers, stores and sessions.
 *
 * <p>It does not depend on the Netty pipeline or MQTT packets; a connected client is a {@link
 * io.fjordmq.broker.delivery.LiveSession}.
 */
@NullMarked
package io.fjordmq.broker.delivery;

import org.jspecify.annotations.NullMarked;
