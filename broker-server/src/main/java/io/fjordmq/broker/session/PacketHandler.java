package io.fjordmq.broker.session;

import io.fjordmq.broker.protocol.PacketCodec;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.mqtt.MqttMessage;

/**
 * The last handler of a connection. Decodes the packets from the client, and encodes those to the
 * client that are not bytes yet.
 */
abstract class PacketHandler extends ChannelDuplexHandler {
  private final PacketCodec codec;

  /**
   * @param codec the codec of the connection's event loop
   */
  PacketHandler(PacketCodec codec) {
    this.codec = codec;
  }

  final PacketCodec codec() {
    return codec;
  }

  /** The protocol level of the client; 0 before its CONNECT. */
  abstract int protocolLevel();

  /**
   * Handles and releases a packet.
   *
   * @param packet a decoded packet, or a {@link io.fjordmq.broker.protocol.ProtocolViolation}
   */
  abstract void onPacket(ChannelHandlerContext ctx, Object packet);

  @Override
  public final void channelRead(ChannelHandlerContext ctx, Object input) {
    onPacket(ctx, input instanceof ByteBuf bytes ? codec.decode(bytes, protocolLevel()) : input);
  }

  @Override
  public final void write(ChannelHandlerContext ctx, Object packet, ChannelPromise promise) {
    ctx.write(
        packet instanceof MqttMessage message ? codec.encode(message, protocolLevel()) : packet,
        promise);
  }
}
