/**
 * Listeners, TLS, WebSocket and PROXY protocol: everything between the socket and the bytes of
 * MQTT.
 *
 * <p>Start at {@link io.fjordmq.broker.net.MqttPipeline}. The package uses no sessions: it hands
 * each connection to {@link io.fjordmq.broker.protocol.ClientConnections}.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
