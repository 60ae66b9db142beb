package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.handler.codec.mqtt.MqttFixedHeader;
import io.netty.handler.codec.mqtt.MqttMessageType;
import io.netty.handler.codec.mqtt.MqttQoS;

/**
 * Reads SUBSCRIBE and UNSUBSCRIBE packets in place of Netty's decoder. The filters are left
 * undecoded, so that the session can decode them in slices ({@link FilterPacket}).
 */
final class FilterPacketReader {
  private static final int FLAGS = 0x02;
  private static final int SUBSCRIPTION_IDENTIFIER = 0x0B;

  private FilterPacketReader() {}

  /**
   * Reads and consumes a SUBSCRIBE or UNSUBSCRIBE that begins at the reader index.
   *
   * @param size the size of the packet, including the fixed header
   * @param level the protocol level of the client
   */
  static FilterPacket read(ByteBuf in, int size, int level) {
    int first = in.getUnsignedByte(in.readerIndex());
    MqttMessageType type = MqttMessageType.valueOf(first >> 4);
    if ((first & 0x0F) != FLAGS) {
      throw RawPacketRules.malformed("the flags of " + type + " must be 0010", level);
    }
    PacketCursor cursor = new PacketCursor(in, size, level);
    cursor.skipFixedHeader();
    MqttFixedHeader header =
        new MqttFixedHeader(type, false, MqttQoS.AT_LEAST_ONCE, false, cursor.remaining());
    int identifier = cursor.readShort();
    if (identifier == 0) {
      throw RawPacketRules.malformed("packet identifier must not be 0 in " + type, level);
    }
    int subscriptionIdentifier = level < 5 ? 0 : readProperties(in, cursor, type);
    byte[] filters = ByteBufUtil.getBytes(in, cursor.position(), cursor.remaining());
    in.skipBytes(size);
    return new FilterPacket(header, identifier, subscriptionIdentifier, filters);
  }

  /** Returns the subscription identifier; 0 if there is none. */
  private static int readProperties(ByteBuf in, PacketCursor cursor, MqttMessageType type) {
    int begin = cursor.position();
    PropertyRules.check(
        cursor,
        type == MqttMessageType.SUBSCRIBE ? PropertyRules.SUBSCRIBE : PropertyRules.UNSUBSCRIBE);
    PacketCursor propertyCursor = new PacketCursor(in, begin, cursor.position(), cursor.level());
    int identifier = 0;
    propertyCursor.readInteger(); // skip the length of the properties
    while (propertyCursor.remaining() > 0) {
      if (propertyCursor.readInteger() == SUBSCRIPTION_IDENTIFIER) {
        identifier = propertyCursor.readInteger();
        if (identifier == 0) {
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR,
              "subscription identifier must not be 0",
              propertyCursor.level());
        }
      } else { // a user property, the only other property of these packets
        propertyCursor.skipText();
        propertyCursor.skipText();
      }
    }
    return identifier;
  }
}
