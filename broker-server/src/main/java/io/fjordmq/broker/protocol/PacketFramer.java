package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.Limit;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Splits the byte stream into whole packets. The fixed header is checked before anything is
 * buffered, so that a client cannot make the broker buffer more than the maximum packet size (MQTT
 * 5.0 §2.1.4, §3.1.2.11.4).
 *
 * <p>{@link PacketPacing} limits how many packets are forwarded at once; the rest stays in the
 * buffer.
 *
 * <p>After an error, the framer emits one {@link ProtocolViolation} and discards all further input.
 */
public final class PacketFramer extends ByteToMessageDecoder {
  private static final int MAX_LENGTH_BYTES = 4;
  private static final int CONNECT = 1;
  private static final int SUBSCRIBE = 8;
  private static final int UNSUBSCRIBE = 10;
  private static final int TLS_HANDSHAKE = 0x16;

  private final PacketPacing pacing;
  private int maxPacketBytes;
  private int protocolLevel;
  private boolean broken;
  private boolean closed;
  private @Nullable ProtocolViolation pendingViolation;

  public PacketFramer(int maxPacketBytes, PacketPacing pacing) {
    this.maxPacketBytes = maxPacketBytes;
    this.pacing = pacing;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) {
    pacing.setContinueCallback(() -> resume(ctx));
  }

  private void resume(ChannelHandlerContext ctx) {
    if (ctx.isRemoved() || closed) {
      return; // the rest was forwarded when the connection closed
    }
    try {
      channelRead(ctx, Unpooled.EMPTY_BUFFER);
      ProtocolViolation violation = pendingViolation;
      if (violation != null && !pacing.hasBacklog()) {
        pendingViolation = null;
        ctx.fireChannelRead(violation);
      }
      channelReadComplete(ctx);
    } catch (Exception | OutOfMemoryError e) { // the same types that Netty catches
      ctx.fireExceptionCaught(e);
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object input) throws Exception {
    if (input instanceof ProtocolViolation violation && pacing.hasBacklog()) {
      // The layer below reported the violation; packets that arrived before are handled first.
      pendingViolation = violation;
    } else {
      super.channelRead(ctx, input);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    pacing.onReadComplete();
    if (pacing.hasBacklog()) {
      // If a read produced no packet, Netty's decoder would request another read, although complete
      // packets may already be buffered here.
      discardSomeReadBytes();
      ctx.fireChannelReadComplete();
    } else {
      super.channelReadComplete(ctx);
    }
  }

  /**
   * Forwards all complete packets at once, because no later read can trigger it. The session
   * divides the work into slices itself.
   */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    closed = true;
    super.channelInactive(ctx);
  }

  /** Applies the maximum packet size of the client's tenant, which is known from here on. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event instanceof PacketLimit limit) {
      maxPacketBytes = limit.bytes();
    } else {
      super.userEventTriggered(ctx, event);
    }
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (broken || pacing.isAbandoned()) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (!closed && !pacing.canAcceptPacket()) {
      return;
    }
    try {
      requireConnectFirst(in);
      int size = packetBytes(in);
      if (size > 0 && in.readableBytes() >= size) {
        out.add(read(ctx, in, size));
      }
    } catch (ProtocolViolation violation) {
      broken = true;
      in.skipBytes(in.readableBytes());
      out.add(violation);
    }
  }

  /** Rejects a client whose first packet is not a CONNECT, before any of its bytes are buffered. */
  private void requireConnectFirst(ByteBuf in) {
    if (protocolLevel == 0 && in.isReadable()) {
      int first = in.getUnsignedByte(in.readerIndex());
      if (first >> 4 != CONNECT || first == TLS_HANDSHAKE) {
        throw new ProtocolViolation(
            CloseReason.FIRST_PACKET_NOT_CONNECT,
            first == TLS_HANDSHAKE
                ? "the client started a TLS handshake, but this listener does not use TLS"
                : "the first packet must be CONNECT, not packet type " + (first >> 4));
      }
    }
  }

  /** Returns the number of bytes of a variable byte integer (MQTT 5.0 §1.5.5). */
  static int integerBytes(int value) {
    if (value < 1 << 7) {
      return 1;
    }
    return value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
  }

  /** Returns the size of a packet with this remaining length, including the fixed header. */
  public static int packetBytes(int remainingLength) {
    return 1 + integerBytes(remainingLength) + remainingLength;
  }

  /**
   * Returns the size of the packet at the reader index, including the fixed header; 0 if it is not
   * known yet.
   */
  private int packetBytes(ByteBuf in) {
    int start = in.readerIndex();
    int readable = in.readableBytes();
    int remaining = 0;
    for (int i = 0; i < MAX_LENGTH_BYTES; i++) {
      if (readable < 2 + i) {
        return 0;
      }
      int digit = in.getUnsignedByte(start + 1 + i);
      remaining |= (digit & 0x7F) << 7 * i;
      if (digit < 0x80) {
        requireAllowed(2 + i + remaining);
        return 2 + i + remaining;
      }
    }
    throw new ProtocolViolation(
        CloseReason.MALFORMED_PACKET, "remaining length has more than four bytes", protocolLevel);
  }

  private void requireAllowed(int size) {
    if (size > maxPacketBytes) {
      throw new ProtocolViolation(
          CloseReason.PACKET_TOO_LARGE,
          "packet of " + size + " bytes exceeds the limit of " + maxPacketBytes,
          protocolLevel,
          Limit.PACKET_BYTES);
    }
  }

  /** Checks and consumes the packet. Most packets are forwarded to Netty's decoder as bytes. */
  private Object read(ChannelHandlerContext ctx, ByteBuf in, int size) {
    if (protocolLevel == 0) {
      ConnectRules connect = ConnectRules.check(in, size);
      protocolLevel = connect.level();
      OversizedWillTopic.attach(ctx.channel(), connect.willTopic());
      return in.readRetainedSlice(size);
    }
    if (protocolLevel == 3) {
      RawPacketRules.clearDup(in);
    }
    int type = in.getUnsignedByte(in.readerIndex()) >> 4;
    if (type == SUBSCRIBE || type == UNSUBSCRIBE) {
      return FilterPacketReader.read(in, size, protocolLevel);
    }
    RawPacketRules.check(in, size, protocolLevel);
    return in.readRetainedSlice(size);
  }
}
