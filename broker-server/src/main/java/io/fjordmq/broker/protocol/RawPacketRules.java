package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;

/**
 * Checks protocol rules on the raw bytes, because Netty's decoder (4.2.18) does not check them or
 * discards the information that a later check needs: DUP with QoS 0, fields that the protocol
 * version does not have, misplaced or repeated properties, and reason codes that clients must not
 * send. This class also checks that each field ends within its packet; otherwise, Netty's decoder
 * would wait for more bytes and take them from the next packet. Netty checks everything else: fixed
 * header flags, UTF-8 and U+0000 in every string, bytes after the last field, and packet identifier
 * 0.
 *
 * <p>Packets that MQTT 3.1 allows but Netty rejects are rewritten into a form that both accept.
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
   * Clears the DUP flag. MQTT 3.1 lets a client resend SUBSCRIBE, UNSUBSCRIBE and PUBREL with DUP
   * (MQTT 3.1 §3.6, §3.8, §3.10), but Netty follows MQTT 3.1.1, where the flag is reserved. The
   * flag has no effect.
   */
  static void clearDup(ByteBuf in) {
    int first = in.getUnsignedByte(in.readerIndex());
    int type = first >> 4;
    if (type == PUBREL || type == SUBSCRIBE || type == UNSUBSCRIBE) {
      in.setByte(in.readerIndex(), first & ~DUP);
    }
  }

  /**
   * Checks any packet other than CONNECT, SUBSCRIBE and UNSUBSCRIBE ({@link FilterPacketReader}).
   *
   * @param level the protocol level of the client
   */
  static void check(ByteBuf in, int size, int level) {
    int first = in.getUnsignedByte(in.readerIndex());
    int type = first >> 4;
    PacketCursor cursor = new PacketCursor(in, size, level);
    cursor.skipFixedHeader();
    switch (type) {
      case PUBLISH -> {
        checkPublishFlags(first, level);
        cursor.skipLengthPrefixed();
        cursor.skip((first & QOS) == 0 ? 0 : 2);
        checkProperties(cursor, PropertyRules.PUBLISH);
      }
      case PUBACK, PUBREC, PUBREL, PUBCOMP -> {
        cursor.skip(2);
        checkReasonAndProperties(cursor, type, PropertyRules.REPLY);
      }
      case DISCONNECT -> checkReasonAndProperties(cursor, type, PropertyRules.DISCONNECT);
      case AUTH -> checkReasonAndProperties(cursor, type, PropertyRules.AUTH);
      case CONNACK, SUBACK, UNSUBACK, PINGRESP ->
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR,
              "packet type " + type + " must only be sent by servers",
              level);
      case CONNECT ->
          // Checked before Netty decodes the packet. Netty would adopt the version of this packet
          // and, if the packet is truncated, wait for the rest.
          throw new ProtocolViolation(
              CloseReason.PROTOCOL_ERROR, "a client must not send a second CONNECT", level);
      default -> {
        // PINGREQ has no content; Netty rejects type 0.
      }
    }
  }

  /** Checks MQTT-3.3.1-2. In MQTT 3.1, DUP with QoS 0 has no meaning but is not forbidden. */
  private static void checkPublishFlags(int first, int level) {
    if (level > 3 && (first & DUP) != 0 && (first & QOS) == 0) {
      throw malformed("DUP must not be set in a PUBLISH with QoS 0", level);
    }
  }

  private static void checkProperties(PacketCursor cursor, int packet) {
    if (cursor.level() >= 5) {
      PropertyRules.check(cursor, packet);
    }
  }

  /** Checks the reason code and the properties, both of which are optional (MQTT 5.0 §3.4.2). */
  private static void checkReasonAndProperties(PacketCursor cursor, int type, int packet) {
    if (cursor.level() < 5) {
      if (cursor.remaining() > 0) {
        throw malformed("reason codes require MQTT 5", cursor.level());
      }
      return;
    }
    int code = cursor.remaining() > 0 ? cursor.readByte() : 0;
    if (!ClientReasonCodes.isAllowed(type, code)) {
      throw new ProtocolViolation(
          CloseReason.PROTOCOL_ERROR,
          "reason code " + code + " must not be sent by a client in packet type " + type,
          cursor.level());
    }
    if (cursor.remaining() > 0) {
      PropertyRules.check(cursor, packet);
    }
  }

  static ProtocolViolation malformed(String detail, int level) {
    return new ProtocolViolation(CloseReason.MALFORMED_PACKET, detail, level);
  }
}
