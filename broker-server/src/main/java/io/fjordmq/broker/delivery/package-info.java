/**
 * What a PUBLISH means: retained, matched, distributed to inboxes and live sessions, acknowledged.
 * Start at {@link io.fjordmq.broker.delivery.Publisher}.
 *
 * <p>Knows no Netty pipeline and no MQTT packet; a connected client is a {@link
 * io.fjordmq.broker.delivery.LiveSession}.
 */
@NullMarked
package io.fjordmq.broker.delivery;

import org.jspecify.annotations.NullMarked;
