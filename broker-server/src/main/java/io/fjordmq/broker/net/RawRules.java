package io.fjordmq.broker.net;

import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The rules of the protocol that can only be checked on the bytes, because netty's decoder (4.2.18)
 * does not look or what it hands on does not show any more: flags of CONNECT that contradict each
 * other, DUP with QoS 0, reserved bits of subscription options, packets longer than their version
 * allows, properties in the wrong packet or twice. And that every field ends within its packet:
 * netty's decoder would wait for more and take it from the next packet. Everything else netty
 * checks: fixed header flags, UTF-8 and U+0000 in every string, bytes after the last field, packet
 * identifier 0.
 *
 * <p>And what MQTT 3.1 allows but netty does not is rewritten here into what both understand.
 */
final class RawRules {
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

  private static final int LONGEST_PROTOCOL_NAME = 6;

  /** Set in the protocol level by bridges of mosquitto; nothing in MQTT. */
  private static final int BRIDGE = 0x80;

  private static final int DUP = 0x08;
  private static final int QOS = 0x06;

  private static final int USER_NAME_FLAG = 0x80;
  private static final int PASSWORD_FLAG = 0x40;
  private static final int WILL_RETAIN_AND_QOS = 0x38;
  private static final int WILL_QOS = 0x18;
  private static final int WILL_FLAG = 0x04;
  private static final int RESERVED_FLAG = 0x01;

  private RawRules() {}

  /**
   * Checks a CONNECT (MQTT 5.0 §3.1.2, MQTT 3.1.1 §3.1.2).
   *
   * @param size of the packet, which begins at the reader index
   * @return its protocol level: 3, 4 or 5
   */
  static int checkConnect(ByteBuf in, int size) {
    PacketCursor cursor = new PacketCursor(in, size, 0);
    cursor.skipFixedHeader();
    int nameBytes = cursor.readShort();
    if (nameBytes > LONGEST_PROTOCOL_NAME) {
      throw malformed("protocol name of " + nameBytes + " bytes", 0);
    }
    String name = cursor.readAscii(nameBytes);
    int level = cursor.readByte();
    boolean known =
        (name.equals("MQTT") && (level == 4 || level == 5))
            || (name.equals("MQIsdp") && level == 3);
    if (!known) {
      throw unsupported(level);
    }
    cursor.level(level);
    int flagsAt = cursor.position();
    int flags = cursor.readByte();
    checkConnectFlags(flags, level);
    cursor.skip(2);
    int present = checkConnectFields(cursor, flags, level);
    if (present != flags) {
      in.setByte(flagsAt, present);
    }
    return level;
  }

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

  /**
   * The name is not repeated to the client: it may be anything, even what no text may hold.
   * Mosquitto's bridges first try MQTT 3 with a bit of their own and understand only the refusal of
   * that version.
   */
  private static ProtocolViolation unsupported(int level) {
    int told = (level & BRIDGE) != 0 && (level & ~BRIDGE) < 5 ? level & ~BRIDGE : level;
    return new ProtocolViolation(
        CloseReason.UNSUPPORTED_PROTOCOL_VERSION, "unknown protocol, level " + level, told);
  }

  private static void checkConnectFlags(int flags, int level) {
    if ((flags & RESERVED_FLAG) != 0 && level > 3) {
      throw malformed("reserved CONNECT flag is set", level);
    }
    if ((flags & WILL_FLAG) == 0 && (flags & WILL_RETAIN_AND_QOS) != 0) {
      throw malformed("will QoS or will retain without a will", level);
    }
    if ((flags & WILL_QOS) == WILL_QOS) {
      throw malformed("will QoS 3", level);
    }
    if (level < 5 && (flags & PASSWORD_FLAG) != 0 && (flags & USER_NAME_FLAG) == 0) {
      throw malformed("password without user name", level);
    }
  }

  /**
   * @return the flags of what is there. In MQTT 3.1 the remaining length counts more than they do:
   *     user name and password may be flagged and missing (its §3.1)
   */
  private static int checkConnectFields(PacketCursor cursor, int flags, int level) {
    if (level >= 5) {
      PropertyRules.check(cursor, PropertyRules.CONNECT);
    }
    cursor.skipCounted();
    if ((flags & WILL_FLAG) != 0) {
      if (level >= 5) {
        PropertyRules.check(cursor, PropertyRules.WILL);
      }
      cursor.skipCounted();
      cursor.skipCounted();
    }
    int present = flags;
    for (int flag : new int[] {USER_NAME_FLAG, PASSWORD_FLAG}) {
      if ((flags & flag) != 0 && level == 3 && cursor.left() == 0) {
        present &= ~flag;
      } else if ((flags & flag) != 0) {
        cursor.skipCounted();
      }
    }
    return present;
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
        checkReasonAndProperties(cursor, PropertyRules.REPLY);
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
      case DISCONNECT -> checkReasonAndProperties(cursor, PropertyRules.DISCONNECT);
      case AUTH -> checkReasonAndProperties(cursor, PropertyRules.AUTH);
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
  private static void checkReasonAndProperties(PacketCursor cursor, int packet) {
    if (cursor.left() > 0 && cursor.level() < 5) {
      throw malformed("reason code before MQTT 5", cursor.level());
    }
    if (cursor.left() > 1) {
      cursor.skip(1);
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

  /** Reads a packet by absolute positions, moving no index; past its end it is malformed. */
  static final class PacketCursor {
    private final ByteBuf in;
    private final int end;
    private int position;
    private int level;

    PacketCursor(ByteBuf in, int size, int level) {
      this.in = in;
      this.position = in.readerIndex();
      this.end = position + size;
      this.level = level;
    }

    int level() {
      return level;
    }

    void level(int known) {
      level = known;
    }

    int position() {
      return position;
    }

    int left() {
      return end - position;
    }

    void skip(int bytes) {
      if (bytes > left()) {
        throw malformed("packet ends early", level);
      }
      position += bytes;
    }

    int readByte() {
      skip(1);
      return in.getUnsignedByte(position - 1);
    }

    int readShort() {
      skip(2);
      return in.getUnsignedShort(position - 2);
    }

    String readAscii(int bytes) {
      skip(bytes);
      return in.toString(position - bytes, bytes, StandardCharsets.US_ASCII);
    }

    /** A variable byte integer (MQTT 5.0 §1.5.5). */
    int readInteger() {
      int value = 0;
      for (int i = 0; i < 4; i++) {
        int digit = readByte();
        value |= (digit & 0x7F) << 7 * i;
        if (digit < 0x80) {
          requireShortest(i, digit);
          return value;
        }
      }
      throw malformed("variable byte integer of more than four bytes", level);
    }

    /** MQTT-1.5.5-1; the older versions do not ask for it. */
    private void requireShortest(int index, int lastDigit) {
      if (level >= 5 && index > 0 && lastDigit == 0) {
        throw malformed("variable byte integer in more bytes than it needs", level);
      }
    }

    /** Text or binary data: two bytes of length, then that many. */
    void skipCounted() {
      skip(readShort());
    }

    void skipFixedHeader() {
      skip(1);
      readInteger();
    }
  }
}
