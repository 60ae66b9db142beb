package io.fjordmq.perf.micro;

import io.fjordmq.perf.ConnectSettings;
import io.fjordmq.perf.MqttPacketWriter;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Packets that only microbenchmarks send, each in a buffer that the caller owns. */
final class MicroPackets {
  private static final int SUBSCRIPTION_IDENTIFIER = 0x0B;

  /** A user property of some 20 bytes. */
  private static final byte[] USER_PROPERTY =
      "\46\0\12name-of-it\0\13value-of-it".getBytes(StandardCharsets.US_ASCII);

  /** Upper bound for the size of a packet without its payload and user properties. */
  private static final int HEAD_BYTES = 64;

  private MicroPackets() {}

  /** MQTT 5, a session that ends with the connection, no keep-alive. */
  static ByteBuf connect5(String clientId) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.writeConnect(
        packet, new ConnectSettings(clientId, ConnectSettings.MQTT_5, true, 0));
    return packet;
  }

  /**
   * MQTT 5, QoS 0.
   *
   * @param identifier of the subscription, 1 to 127
   */
  static ByteBuf subscribe5(String filter, int identifier) {
    byte[] properties = {2, SUBSCRIPTION_IDENTIFIER, (byte) identifier};
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES);
    MqttPacketWriter.subscribe(packet, 1, properties, List.of(filter), 0);
    return packet;
  }

  /**
   * MQTT 5, QoS 0.
   *
   * @param userProperties number of identical user properties
   */
  static ByteBuf publish5(String topic, int userProperties, byte[] payload) {
    ByteBuf properties = Unpooled.buffer();
    MqttPacketWriter.writeLength(properties, userProperties * USER_PROPERTY.length);
    for (int i = 0; i < userProperties; i++) {
      properties.writeBytes(USER_PROPERTY);
    }
    byte[] propertyBytes = ByteBufUtil.getBytes(properties);
    byte[] text = topic.getBytes(StandardCharsets.UTF_8);
    ByteBuf packet =
        ByteBufAllocator.DEFAULT.buffer(HEAD_BYTES + propertyBytes.length + payload.length);
    MqttPacketWriter.publish(packet, text, 0, 0, propertyBytes, payload.length);
    return packet.writeBytes(payload);
  }

  /** PINGREQ. */
  static ByteBuf ping() {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(2);
    MqttPacketWriter.ping(packet);
    return packet;
  }

  /** Copies packets into one buffer, as one read from a socket returns them; releases them. */
  static ByteBuf joinPackets(List<ByteBuf> packets) {
    ByteBuf read =
        ByteBufAllocator.DEFAULT.buffer(packets.stream().mapToInt(ByteBuf::readableBytes).sum());
    for (ByteBuf packet : packets) {
      read.writeBytes(packet);
      packet.release();
    }
    return read;
  }
}
