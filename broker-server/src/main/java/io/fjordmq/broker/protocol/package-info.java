/**
 * MQTT itself: reason codes, violations, the rules of packets, reading and writing them, and the
 * differences between protocol versions. Start at {@code PacketFramer} and {@code Dialect}.
 *
 * <p>This package uses neither sessions nor listeners. {@link
 * io.fjordmq.broker.protocol.ClientConnections} is the interface from listeners to sessions; {@code
 * Peer}, {@code FrameBytes} and {@code PacketLimit} pass information between them.
 */
@NullMarked
package io.fjordmq.broker.protocol;

import org.jspecify.annotations.NullMarked;
