/**
 * The distribution of published messages: retain, match, deliver to inboxes, other nodes and
 * connected clients, acknowledge. Start at {@link io.fjordmq.broker.delivery.PublishRouter}, then
 * {@link io.fjordmq.broker.delivery.Distribution}.
 *
 * <p>From there a message goes to the retain store, to inboxes ({@code InboxDelivery}), to other
 * nodes ({@code OtherNodes}), and to the clients of this node ({@code broker.dispatch}). Shares
 * pick one member of either kind ({@code ShareDelivery}). Events of inboxes come back through
 * {@code InboxEvents}.
 *
 * <p>{@link io.fjordmq.broker.delivery.DeliveryAssembly} puts it together. The inbox store, which
 * is opened before, reports to an {@link io.fjordmq.broker.delivery.InboxEventRelay}. The package
 * owns no threads: work runs on the threads of callers, stores and sessions.
 *
 * <p>It does not depend on sessions or MQTT packets.
 */
@NullMarked
package io.fjordmq.broker.delivery;

import org.jspecify.annotations.NullMarked;
