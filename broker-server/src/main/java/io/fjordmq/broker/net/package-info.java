/**
 * Sockets, listeners and frames: everything between the network and the first decoded MQTT packet.
 * Start at {@link io.fjordmq.broker.net.MqttPipeline}, the one page that shows what a connection
 * goes through.
 *
 * <p>Knows sessions only as the last handler of a pipeline.
 */
@NullMarked
package io.fjordmq.broker.net;

import org.jspecify.annotations.NullMarked;
