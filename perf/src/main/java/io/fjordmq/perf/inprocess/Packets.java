package io.fjordmq.perf.inprocess;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Packets of in-process clients (MQTT 3.1.1 and 5.0, §3), each in a buffer that the caller owns.
 */
public final class Packets {
  private static final int SUBSCRIPTION_IDENTIFIER = 0x0B;
  private static final int USER_PROPERTY = 0x26;
  private static final byte[] NONE = {};

  private Packets() {}

  /** MQTT 3.1.1, no keep-alive. */
  public static ByteBuf connect(String clientId, boolean clean) {
    return connect(4, clientId, clean);
  }

  /** MQTT 5, a session that ends with the connection, no keep-alive. */
  public static ByteBuf connect5(String clientId) {
    return connect(5, clientId, true);
  }

  private static ByteBuf connect(int version, String clientId, boolean clean) {
    byte[] id = utf8(clientId);
    byte[] properties = version == 5 ? new byte[1] : NONE;
    return packet(0x10, 12 + properties.length + id.length)
        .writeShort(4)
        .writeBytes(new byte[] {'M', 'Q', 'T', 'T'})
        .writeByte(version)
        .writeByte(clean ? 2 : 0)
        .writeShort(0)
        .writeBytes(properties)
        .writeShort(id.length)
        .writeBytes(id);
  }

  /** MQTT 3.1.1, QoS 0. */
  public static ByteBuf subscribe(String filter) {
    return subscribe(NONE, filter);
  }

  /**
   * MQTT 5, QoS 0.
   *
   * @param identifier of the subscription, 1 to 127
   */
  public static ByteBuf subscribe5(String filter, int identifier) {
    return subscribe(new byte[] {2, SUBSCRIPTION_IDENTIFIER, (byte) identifier}, filter);
  }

  private static ByteBuf subscribe(byte[] properties, String filter) {
    byte[] text = utf8(filter);
    return packet(0x82, 5 + properties.length + text.length)
        .writeShort(1)
        .writeBytes(properties)
        .writeShort(text.length)
        .writeBytes(text)
        .writeByte(0);
  }

  /**
   * MQTT 3.1.1.
   *
   * @param packetIdentifier used with QoS 1 only
   */
  public static ByteBuf publish(String topic, int qos, int packetIdentifier, byte[] payload) {
    byte[] text = utf8(topic);
    ByteBuf packet =
        packet(0x30 | qos << 1, 2 + text.length + (qos == 0 ? 0 : 2) + payload.length)
            .writeShort(text.length)
            .writeBytes(text);
    if (qos > 0) {
      packet.writeShort(packetIdentifier);
    }
    return packet.writeBytes(payload);
  }

  /**
   * MQTT 5, QoS 0.
   *
   * @param userProperties number of identical user properties
   */
  public static ByteBuf publish5(String topic, int userProperties, byte[] payload) {
    byte[] text = utf8(topic);
    byte[] name = utf8("name-of-it");
    byte[] value = utf8("value-of-it");
    int properties = userProperties * (5 + name.length + value.length);
    ByteBuf packet =
        packet(0x30, 2 + text.length + integerBytes(properties) + properties + payload.length)
            .writeShort(text.length)
            .writeBytes(text);
    writeInteger(packet, properties);
    for (int i = 0; i < userProperties; i++) {
      packet.writeByte(USER_PROPERTY).writeShort(name.length).writeBytes(name);
      packet.writeShort(value.length).writeBytes(value);
    }
    return packet.writeBytes(payload);
  }

  /** PINGREQ. */
  public static ByteBuf ping() {
    return packet(0xC0, 0);
  }

  /** Several packets as one read from a socket returns them; releases them. */
  public static ByteBuf inOneRead(List<ByteBuf> packets) {
    ByteBuf read =
        ByteBufAllocator.DEFAULT.buffer(packets.stream().mapToInt(ByteBuf::readableBytes).sum());
    for (ByteBuf packet : packets) {
      read.writeBytes(packet);
      packet.release();
    }
    return read;
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static ByteBuf packet(int head, int length) {
    ByteBuf packet = ByteBufAllocator.DEFAULT.buffer(1 + integerBytes(length) + length);
    writeInteger(packet.writeByte(head), length);
    return packet;
  }

  private static int integerBytes(int value) {
    return value < 1 << 7 ? 1 : value < 1 << 14 ? 2 : value < 1 << 21 ? 3 : 4;
  }

  private static void writeInteger(ByteBuf out, int value) {
    int rest = value;
    while (rest >= 0x80) {
      out.writeByte(rest & 0x7F | 0x80);
      rest >>>= 7;
    }
    out.writeByte(rest);
  }
}
