/**
 * Listeners, TLS, WebSocket, PROXY protocol and framing: everything between the socket and the
 * first decoded MQTT packet.
 *
 * <p>Start at {@link io.fjordmq.broker.net.MqttPipeline}, which lists the handlers of a connection.
 * This package knows sessions only as the last handler of a pipeline.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
