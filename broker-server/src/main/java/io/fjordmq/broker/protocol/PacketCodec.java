package io.fjordmq.broker.protocol;

import io.fjordmq.broker.limits.SessionSettings;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.mqtt.MqttDecoder;
import io.netty.handler.codec.mqtt.MqttEncoder;
import io.netty.handler.codec.mqtt.MqttMessage;
import io.netty.handler.codec.mqtt.MqttVersion;
import io.netty.util.AttributeKey;
import io.netty.util.ReferenceCountUtil;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decodes and encodes packets with Netty's codec, on behalf of all connections of one event loop.
 * Usually, each connection has a decoder of its own, because packets may arrive in parts. {@link
 * PacketFramer} only forwards whole packets, so one decoder per protocol level is enough, which
 * saves about 300 bytes per connection. Only used on the event loop.
 */
public final class PacketCodec {
  /** The protocol level for the first packet of a connection, which determines the level. */
  private static final int UNKNOWN_LEVEL = 0;

  private static final int HIGHEST_LEVEL = 5;

  /** The maximum of MQTT; the length is checked against its limit together with the CONNECT. */
  private static final int MAX_CLIENT_ID_BYTES = 65_535;

  private final @Nullable NettyCodec[] codecs = new @Nullable NettyCodec[HIGHEST_LEVEL + 1];
  private int levelOfLastConnect;

  /**
   * Decodes a packet, and releases its bytes. The caller releases the result.
   *
   * @param packet a whole packet whose fields all end within it
   * @param protocolLevel the protocol level of the client; 0 if this is its CONNECT
   * @return a message whose {@code decoderResult} is a failure if the packet is malformed
   */
  public MqttMessage decode(ByteBuf packet, int protocolLevel) {
    int index = index(protocolLevel);
    NettyCodec codec = codec(index);
    boolean reusable = false;
    try {
      MqttMessage message =
          index == UNKNOWN_LEVEL ? decodeConnect(codec, packet) : codec.decode(packet);
      reusable = message.decoderResult().isSuccess();
      return message;
    } finally {
      if (!reusable) { // after a failure, Netty's decoder discards all further packets
        codecs[index] = null;
        codec.close();
      }
    }
  }

  /**
   * The protocol level of the last CONNECT that was decoded; 0 if the CONNECT was malformed before
   * its level.
   */
  public int levelOfLastConnect() {
    return levelOfLastConnect;
  }

  /** Encodes a packet; the caller releases the result. */
  public ByteBuf encode(MqttMessage message, int protocolLevel) {
    return codec(index(protocolLevel)).encode(message);
  }

  private MqttMessage decodeConnect(NettyCodec codec, ByteBuf packet) {
    codec.setProtocolLevel(UNKNOWN_LEVEL);
    MqttMessage connect = codec.decode(packet);
    levelOfLastConnect = codec.protocolLevel();
    return connect;
  }

  private static int index(int protocolLevel) {
    // Clients with an unknown level are refused.
    return protocolLevel < 0 || protocolLevel > HIGHEST_LEVEL ? UNKNOWN_LEVEL : protocolLevel;
  }

  private NettyCodec codec(int index) {
    NettyCodec codec = codecs[index];
    if (codec == null) {
      codec = new NettyCodec(index);
      codecs[index] = codec;
    }
    return codec;
  }

  /** Netty's codec for one protocol level. */
  private static final class NettyCodec extends ChannelInboundHandlerAdapter {
    // Netty's decoder sets this attribute as soon as it has read the version of a CONNECT. Its
    // decoder and encoder read it for other packets.
    private static final AttributeKey<MqttVersion> VERSION =
        AttributeKey.valueOf("NETTY_CODEC_MQTT_VERSION");

    private final EmbeddedChannel channel;
    private @Nullable Object decoded;
    private @Nullable Throwable error;

    private NettyCodec(int protocolLevel) {
      channel =
          new EmbeddedChannel(
              new MqttDecoder(SessionSettings.MAX_PACKET_BYTES, MAX_CLIENT_ID_BYTES, true),
              MqttEncoder.INSTANCE,
              this);
      setProtocolLevel(protocolLevel);
    }

    private void setProtocolLevel(int protocolLevel) {
      MqttVersion known = null;
      for (MqttVersion version : MqttVersion.values()) {
        if (version.protocolLevel() == protocolLevel) {
          known = version;
        }
      }
      channel.attr(VERSION).set(known);
    }

    private int protocolLevel() {
      MqttVersion version = channel.attr(VERSION).get();
      return version == null ? UNKNOWN_LEVEL : version.protocolLevel();
    }

    private MqttMessage decode(ByteBuf packet) {
      channel.pipeline().fireChannelRead(packet);
      Object result = decoded;
      Throwable cause = error;
      decoded = null;
      error = null;
      if (cause == null && result instanceof MqttMessage message) {
        return message;
      }
      ReferenceCountUtil.release(result);
      if (cause instanceof Error fatal) { // such as an OutOfMemoryError
        throw fatal;
      }
      throw new DecoderException("packet was not decoded", cause);
    }

    private ByteBuf encode(MqttMessage message) {
      channel.writeOutbound(message);
      return Objects.requireNonNull(channel.readOutbound(), "Netty encodes every message");
    }

    private void close() {
      channel.finishAndReleaseAll();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      decoded = message;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      error = cause;
    }
  }
}
