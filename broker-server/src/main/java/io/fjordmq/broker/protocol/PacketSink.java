package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;

/** Receives the packets that a {@link Dialect} encodes. Used on the connection's event loop. */
@FunctionalInterface
public interface PacketSink {
  /** Returns a buffer for a packet of this size. The caller must write exactly that many bytes. */
  ByteBuf beginPacket(int size);
}
