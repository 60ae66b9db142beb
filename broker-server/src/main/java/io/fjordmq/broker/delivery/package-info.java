/**
 * What a PUBLISH means: retained, matched, distributed to inboxes and live sessions, acknowledged.
 * Start at {@link io.fjordmq.broker.delivery.Publisher}, then {@link
 * io.fjordmq.broker.delivery.Distribution}.
 *
 * <p>Three ways lead from there to receivers: to the retain store; to inboxes ({@code
 * InboxDelivery}); to the sessions of this node ({@link
 * io.fjordmq.broker.delivery.LocalSubscriptions} says who, {@link
 * io.fjordmq.broker.delivery.LiveDispatch} brings it to their event loops). Shares pick one member
 * of either kind ({@code ShareDelivery}). What inboxes have to say comes back through {@link
 * io.fjordmq.broker.delivery.InboxEvents}.
 *
 * <p>Built in this order: {@code LiveDispatch}, {@code LocalSubscriptions}, {@code
 * SessionRegistry}, {@code InboxEvents} (given to the inbox store as its listener), {@code
 * Distribution}, {@code WillService}, {@code InboxRoutes}, then {@code InboxEvents.connect}.
 * Nothing here owns a thread: work runs on the callers', the stores' and the sessions' threads.
 *
 * <p>Knows no Netty pipeline and no MQTT packet; a connected client is a {@link
 * io.fjordmq.broker.delivery.LiveSession}.
 */
@NullMarked
package io.fjordmq.broker.delivery;

import org.jspecify.annotations.NullMarked;
