/**
 * MQTT itself: reason codes, violations, the rules of packets, reading and writing them, and the
 * differences between protocol versions. Start at {@code PacketFramer} and {@code Dialect}.
 *
 * <p>This package knows no session and no listener. {@link
 * io.fjordmq.broker.protocol.ClientConnections} is the role in which listeners see sessions; {@code
 * Peer}, {@code FrameBytes} and {@code PacketLimit} are what they tell each other.
 */
@NullMarked
package io.fjordmq.broker.protocol;

import org.jspecify.annotations.NullMarked;
