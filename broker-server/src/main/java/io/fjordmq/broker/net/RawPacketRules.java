package io.fjordmq.broker.net;

import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.ProtocolViolation;
import io.netty.buffer.ByteBuf;

/**
 * The rules of the protocol that can only be checked on the bytes, because netty's decoder (4.2.18)
 * does not look or what it hands on does not show any more: DUP with QoS 0, reserved bits of
 * subscription options, packets longer than their version allows, properties in the wrong packet or
 * twice, reason codes that are not a client's. And that every field ends within its packet: netty's
 * decoder would wait for more and take it from the next packet. Everything else netty checks: fixed
 * header flags, UTF-8 and U+0000 in every string, bytes after the last field, packet identifier 0.
 *
 * <p>And what MQTT 3.1 allows but netty does not is rewritten here into what both understand.
 */
final class RawPacketRules {
  private static final int CONNECT = 1;
  private static final int CONNACK = 2;
  private static final int PUBLISH = 3;
  private static final int PUBACK = 4;
  private static final int PUBREC = 5;
  private static final int PUBREL = 6;
  private static final int PUBCOMP = 7;
  private static final int SUBSCRIBE = 8;
  private static final int SUBACK = 9;
  private static final int UNSUBSCRIBE = 10;
  private static final int UNSUBACK = 11;
  private static final int PINGRESP = 13;
  private static final int DISCONNECT = 14;
  private static final int AUTH = 15;

  private static final int DUP = 0x08;
  private static final int QOS = 0x06;

  private RawPacketRules() {}

  /**
   * MQTT 3.1 lets a client repeat SUBSCRIBE, UNSUBSCRIBE and PUBREL with DUP (its §3.6, §3.8,
   * §3.10); netty goes by MQTT 3.1.1, where the flag is reserved. Nothing depends on it: cleared.
   */
  static void forgiveRepetition(ByteBuf in) {
    int first = in.getUnsignedByte(in.readerIndex());
    int type = first >> 4;
    if (type == PUBREL || type == SUBSCRIBE || type == UNSUBSCRIBE) {
      in.setByte(in.readerIndex(), first & ~DUP);
    }
  }

  /** Checks any other packet of a client that speaks the version. */
  static void check(ByteBuf in, int size, int level) {
    int first = in.getUnsignedByte(in.readerIndex());
    int type = first >> 4;
    PacketCursor cursor = new PacketCursor(in, size, level);
    cursor.skipFixedHeader();
    switch (type) {
      case PUBLISH -> {
        checkPublishFlags(first, level);
        cursor.skipCounted();
        cursor.skip((first & QOS) == 0 ? 0 : 2);
        checkProperties(cursor, PropertyRules.PUBLISH);
      }
      case PUBACK, PUBREC, PUBREL, PUBCOMP -> {
        cursor.skip(2);
        checkReasonAndProperties(cursor, type, PropertyRules.REPLY);
      }
      case SUBSCRIBE -> {
        cursor.skip(2);
        checkProperties(cursor, PropertyRules.SUBSCRIBE);
        checkSubscriptions(cursor, level < 5 ? 0xFC : 0xC0);
      }
      case UNSUBSCRIBE -> {
        cursor.skip(2);
        checkProperties(cursor, PropertyRules.UNSUBSCRIBE);
        while (cursor.left() > 0) {
          cursor.skipCounted();
        }
      }
      case DISCONNECT -> checkReasonAndProperties(cursor, type, PropertyRules.DISCONNECT);
      case AUTH -> checkReasonAndProperties(cursor, type, PropertyRules.AUTH);
      case CONNACK, SUBACK, UNSUBACK, PINGRESP ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, "packet type " + type + " is a server's", level);
      case CONNECT ->
          // Before netty, which would take up its version and wait for what a short one lacks.
          throw new ProtocolViolation(CloseReason.PROTOCOL_ERROR, "second CONNECT", level);
      default -> {
        // PINGREQ has nothing to look into, type 0 is refused by netty.
      }
    }
  }

  /** MQTT-3.3.1-2; MQTT 3.1 gives DUP no meaning in QoS 0 and does not forbid it. */
  private static void checkPublishFlags(int first, int level) {
    if (level > 3 && (first & DUP) != 0 && (first & QOS) == 0) {
      throw malformed("DUP in a PUBLISH of QoS 0", level);
    }
  }

  private static void checkProperties(PacketCursor cursor, int packet) {
    if (cursor.level() >= 5) {
      PropertyRules.check(cursor, packet);
    }
  }

  /** Reason code and properties, both of which may be left out (MQTT 5.0 §3.4.2). */
  private static void checkReasonAndProperties(PacketCursor cursor, int type, int packet) {
    if (cursor.level() < 5) {
      if (cursor.left() > 0) {
        throw malformed("reason code before MQTT 5", cursor.level());
      }
      return;
    }
    int code = cursor.left() > 0 ? cursor.readByte() : 0;
    if (!ClientReasonCodes.allow(type, code)) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "reason code " + code + " is not for a client's packet of type " + type,
          cursor.level());
    }
    if (cursor.left() > 0) {
      PropertyRules.check(cursor, packet);
    }
  }

  private static void checkSubscriptions(PacketCursor cursor, int reserved) {
    while (cursor.left() > 0) {
      cursor.skipCounted();
      int options = cursor.readByte();
      if ((options & reserved) != 0) {
        throw malformed("reserved bits of subscription options are set", cursor.level());
      }
      if (cursor.level() >= 5 && (isThree(options) || isThree(options >> 4))) {
        // MQTT 5.0 §3.8.3.1 makes this a protocol error; before, it is malformed, as netty says.
        throw new ProtocolViolation(
            CloseReason.PROTOCOL_ERROR,
            "QoS 3 or retain handling 3 in subscription options",
            cursor.level());
      }
    }
  }

  private static boolean isThree(int bits) {
    return (bits & 0x03) == 3;
  }

  static ProtocolViolation malformed(String detail, int level) {
    return new ProtocolViolation(CloseReason.MALFORMED_PACKET, detail, level);
  }
}
