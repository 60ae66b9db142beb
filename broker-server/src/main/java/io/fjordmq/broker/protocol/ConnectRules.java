package io.fjordmq.broker.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Checks the rules for CONNECT that can only be checked on the raw bytes: the protocol name,
 * contradictory flags, and flags that announce a missing field.
 *
 * @param level the protocol level: 3, 4 or 5
 * @param willTopic the will topic if it is too long for Netty's decoder, which then returns no will
 *     topic; otherwise null
 */
record ConnectRules(int level, @Nullable String willTopic) {
  private static final int MAX_PROTOCOL_NAME_BYTES = 6;

  /** A bit that Mosquitto bridges set in the protocol level. It is not part of MQTT. */
  private static final int BRIDGE = 0x80;

  private static final int USER_NAME_FLAG = 0x80;
  private static final int PASSWORD_FLAG = 0x40;
  private static final int WILL_RETAIN_AND_QOS = 0x38;
  private static final int WILL_QOS = 0x18;
  private static final int WILL_FLAG = 0x04;
  private static final int RESERVED_FLAG = 0x01;

  private static final int NETTY_MAX_WILL_TOPIC_BYTES = 32_767;

  /**
   * Checks a CONNECT (MQTT 5.0 §3.1.2, MQTT 3.1.1 §3.1.2). Clears the flags of missing fields that
   * MQTT 3.1 allows, because Netty's decoder would read past the end of the packet.
   *
   * @param size the size of the packet, which begins at the reader index
   * @return the values that Netty's decoder does not return
   */
  static ConnectRules check(ByteBuf in, int size) {
    PacketCursor cursor = new PacketCursor(in, size, 0);
    cursor.skipFixedHeader();
    int nameBytes = cursor.readShort();
    if (nameBytes > MAX_PROTOCOL_NAME_BYTES) {
      throw RawPacketRules.malformed("protocol name is too long: " + nameBytes + " bytes", 0);
    }
    String name = cursor.readAscii(nameBytes);
    int level = cursor.readByte();
    boolean known =
        (name.equals("MQTT") && (level == 4 || level == 5))
            || (name.equals("MQIsdp") && level == 3);
    if (!known) {
      throw unsupported(level);
    }
    cursor.setLevel(level);
    int flagsAt = cursor.position();
    int flags = cursor.readByte();
    checkFlags(flags, level);
    cursor.skip(2);
    return checkFields(cursor, flags, level, in, flagsAt);
  }

  /**
   * Creates the violation for an unknown protocol. The protocol name is not echoed to the client
   * because it may contain arbitrary bytes. Mosquitto bridges first try MQTT 3 with an additional
   * bit in the level, and only understand a refusal in that version.
   */
  private static ProtocolViolation unsupported(int level) {
    int replyLevel = (level & BRIDGE) != 0 && (level & ~BRIDGE) < 5 ? level & ~BRIDGE : level;
    // Do not reply with level 0, which means that the level is unknown.
    return new ProtocolViolation(
        CloseReason.UNSUPPORTED_PROTOCOL_VERSION,
        "unsupported protocol name or level; level is " + level,
        Math.max(1, replyLevel));
  }

  private static void checkFlags(int flags, int level) {
    if ((flags & RESERVED_FLAG) != 0 && level > 3) {
      throw RawPacketRules.malformed("reserved CONNECT flag is set", level);
    }
    if ((flags & WILL_FLAG) == 0 && (flags & WILL_RETAIN_AND_QOS) != 0) {
      throw RawPacketRules.malformed(
          "will QoS or will retain is set but the will flag is not", level);
    }
    if ((flags & WILL_QOS) == WILL_QOS) {
      throw RawPacketRules.malformed("will QoS must not be 3", level);
    }
    if (level < 5 && (flags & PASSWORD_FLAG) != 0 && (flags & USER_NAME_FLAG) == 0) {
      throw RawPacketRules.malformed("password flag is set but the user name flag is not", level);
    }
  }

  private static ConnectRules checkFields(
      PacketCursor cursor, int flags, int level, ByteBuf in, int flagsAt) {
    if (level >= 5) {
      PropertyRules.check(cursor, PropertyRules.CONNECT);
    }
    cursor.skipLengthPrefixed();
    String willTopic = null;
    if ((flags & WILL_FLAG) != 0) {
      if (level >= 5) {
        PropertyRules.check(cursor, PropertyRules.WILL);
      }
      willTopic = readWillTopic(cursor);
      cursor.skipLengthPrefixed();
    }
    int present = skipCredentials(cursor, flags, level);
    if (present != flags) {
      in.setByte(flagsAt, present);
    }
    return new ConnectRules(level, willTopic);
  }

  private static @Nullable String readWillTopic(PacketCursor cursor) {
    int bytes = cursor.readShort();
    if (bytes > NETTY_MAX_WILL_TOPIC_BYTES) {
      return cursor.readText(bytes);
    }
    cursor.skip(bytes);
    return null;
  }

  /**
   * @return the flags of the fields that are present. In MQTT 3.1, the remaining length takes
   *     precedence over the flags, so an announced user name or password may be missing (MQTT 3.1
   *     §3.1)
   */
  private static int skipCredentials(PacketCursor cursor, int flags, int level) {
    int present = flags;
    for (int flag : new int[] {USER_NAME_FLAG, PASSWORD_FLAG}) {
      if ((flags & flag) != 0 && level == 3 && cursor.remaining() == 0) {
        present &= ~flag;
      } else if ((flags & flag) != 0) {
        cursor.skipLengthPrefixed();
      }
    }
    return present;
  }
}
