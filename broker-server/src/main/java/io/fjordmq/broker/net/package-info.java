/**
 * Listeners, TLS, WebSocket and the PROXY protocol: everything between the socket and the MQTT byte
 * stream.
 *
 * <p>Start reading at {@link io.fjordmq.broker.net.MqttPipeline}. The package does not depend on
 * sessions; it hands each connection over to {@link io.fjordmq.broker.protocol.ClientConnections}.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
