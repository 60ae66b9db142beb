/**
 * Distributes published messages: retains and matches them, delivers them to inboxes, other nodes
 * and connected clients, and acknowledges them. Start reading at {@link
 * io.fjordmq.broker.delivery.PublishRouter}, then {@link io.fjordmq.broker.delivery.Distribution}.
 *
 * <p>From there a message goes to the retain store, to inboxes ({@code InboxDelivery}), to other
 * nodes ({@code RemoteDelivery}), and to the clients of this node ({@code broker.dispatch}). For a
 * share, {@code ShareDelivery} picks one member, which may be of any of these kinds. Events of the
 * inbox store are handled by {@code InboxEvents}.
 *
 * <p>{@link io.fjordmq.broker.delivery.DeliveryAssembly} assembles these components. The inbox
 * store is opened earlier and reports its events to an {@link
 * io.fjordmq.broker.delivery.InboxEventRelay}. The package owns no threads; its work runs on the
 * threads of callers, stores and sessions.
 *
 * <p>The package does not depend on sessions or MQTT packets.
 */
@NullMarked
package io.fjordmq.broker.delivery;

import org.jspecify.annotations.NullMarked;
