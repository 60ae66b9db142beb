/**
 * The MQTT protocol: reason codes, protocol violations, validation, decoding and encoding of
 * packets, and the differences between protocol versions. Start reading at {@code PacketFramer} and
 * {@code Dialect}.
 *
 * <p>This package depends on neither sessions nor listeners. {@link
 * io.fjordmq.broker.protocol.ClientConnections} is the interface from listeners to sessions; {@code
 * Peer}, {@code FrameBytes} and {@code PacketLimit} pass information between them.
 */
@NullMarked
package io.fjordmq.broker.protocol;

import org.jspecify.annotations.NullMarked;
