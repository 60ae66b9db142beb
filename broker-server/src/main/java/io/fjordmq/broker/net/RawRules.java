package io.fjordmq.broker.net;

import io.fjordmq.broker.session.CloseReason;
import io.fjordmq.broker.session.ProtocolViolation;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/**
 * The rules of the protocol that can only be checked on the bytes, because netty's decoder (4.2.18)
 * does not look or what it hands on does not show any more: flags of CONNECT that contradict each
 * other, reserved bits of subscription options, packets longer than their version allows,
 * properties in the wrong packet or twice. Everything else netty checks: fixed header flags, UTF-8
 * and U+0000 in every string, lengths, packet identifier 0.
 */
final class RawRules {
  private static final int PUBLISH = 3;
  private static final int PUBACK = 4;
  private static final int PUBCOMP = 7;
  private static final int SUBSCRIBE = 8;
  private static final int UNSUBSCRIBE = 10;
  private static final int DISCONNECT = 14;
  private static final int AUTH = 15;

  private static final int LONGEST_PROTOCOL_NAME = 6;

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
      throw new ProtocolViolation(
          CloseReason.UNSUPPORTED_PROTOCOL_VERSION, "protocol " + name + " level " + level, level);
    }
    cursor.level(level);
    int flags = cursor.readByte();
    checkConnectFlags(flags, level);
    cursor.skip(2);
    if (level >= 5) {
      checkConnectProperties(cursor, flags);
    }
    return level;
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

  private static void checkConnectProperties(PacketCursor cursor, int flags) {
    PropertyRules.check(cursor, PropertyRules.CONNECT);
    if ((flags & WILL_FLAG) != 0) {
      cursor.skip(cursor.readShort());
      PropertyRules.check(cursor, PropertyRules.WILL);
    }
  }

  /** Checks any other packet of a client that speaks the version. */
  static void check(ByteBuf in, int size, int level) {
    int first = in.getUnsignedByte(in.readerIndex());
    int type = first >> 4;
    if (level < 5) {
      if (type != PUBLISH) {
        checkMqtt3(in, size, type, level);
      }
      return;
    }
    PacketCursor cursor = new PacketCursor(in, size, level);
    cursor.skipFixedHeader();
    if (type == PUBLISH) {
      cursor.skip(cursor.readShort());
      cursor.skip((first & 0x06) == 0 ? 0 : 2);
      PropertyRules.check(cursor, PropertyRules.PUBLISH);
    } else if (type >= PUBACK && type <= PUBCOMP) {
      checkReasonAndProperties(cursor, 2, PropertyRules.REPLY);
    } else if (type == SUBSCRIBE) {
      cursor.skip(2);
      PropertyRules.check(cursor, PropertyRules.SUBSCRIBE);
      checkSubscriptionOptions(cursor, 0xC0);
    } else if (type == UNSUBSCRIBE) {
      cursor.skip(2);
      PropertyRules.check(cursor, PropertyRules.UNSUBSCRIBE);
    } else if (type == DISCONNECT) {
      checkReasonAndProperties(cursor, 0, PropertyRules.DISCONNECT);
    } else if (type == AUTH) {
      checkReasonAndProperties(cursor, 0, PropertyRules.AUTH);
    }
  }

  private static void checkMqtt3(ByteBuf in, int size, int type, int level) {
    boolean reply = type >= PUBACK && type <= PUBCOMP;
    if (reply && size != 4) {
      throw malformed("acknowledgement of " + size + " bytes", level);
    }
    if (type == DISCONNECT && size != 2) {
      throw malformed("DISCONNECT of " + size + " bytes", level);
    }
    if (type == SUBSCRIBE) {
      PacketCursor cursor = new PacketCursor(in, size, level);
      cursor.skipFixedHeader();
      cursor.skip(2);
      checkSubscriptionOptions(cursor, 0xFC);
    }
  }

  private static void checkSubscriptionOptions(PacketCursor cursor, int reserved) {
    while (cursor.left() > 0) {
      cursor.skip(cursor.readShort());
      if ((cursor.readByte() & reserved) != 0) {
        throw malformed("reserved bits of subscription options are set", cursor.level());
      }
    }
  }

  /** Reason code and properties, both of which may be left out (MQTT 5.0 §3.4.2). */
  private static void checkReasonAndProperties(PacketCursor cursor, int before, int packet) {
    cursor.skip(before);
    if (cursor.left() > 1) {
      cursor.skip(1);
      PropertyRules.check(cursor, packet);
    }
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
          return value;
        }
      }
      throw malformed("variable byte integer of more than four bytes", level);
    }

    void skipFixedHeader() {
      skip(1);
      readInteger();
    }
  }
}
