package io.fjordmq.broker.protocol;

/**
 * The properties that a client may send in each packet. Only user properties may be repeated (MQTT
 * 5.0 §2.2.2.2).
 */
final class PropertyRules {
  static final int CONNECT = 1;
  static final int WILL = 1 << 1;
  static final int PUBLISH = 1 << 2;
  static final int REPLY = 1 << 3;
  static final int SUBSCRIBE = 1 << 4;
  static final int UNSUBSCRIBE = 1 << 5;
  static final int DISCONNECT = 1 << 6;
  static final int AUTH = 1 << 7;
  private static final int ALL = 0xFF;

  private static final int SUBSCRIPTION_IDENTIFIER = 0x0B;
  private static final int USER_PROPERTY = 0x26;

  private enum Encoding {
    FLAG,
    TWO_BYTES,
    FOUR_BYTES,
    INTEGER,
    /** Text or binary data: a two-byte length followed by that many bytes. */
    LENGTH_PREFIXED,
    STRING_PAIR
  }

  private record Rule(Encoding encoding, int packets) {}

  // The rules by property identifier. Identifiers of undefined properties, and of properties that
  // only servers may send, have no rule.
  private static final Rule[] RULES = new Rule[USER_PROPERTY + 2];

  static {
    RULES[0x01] = new Rule(Encoding.FLAG, PUBLISH | WILL);
    RULES[0x02] = new Rule(Encoding.FOUR_BYTES, PUBLISH | WILL);
    RULES[0x03] = new Rule(Encoding.LENGTH_PREFIXED, PUBLISH | WILL);
    RULES[0x08] = new Rule(Encoding.LENGTH_PREFIXED, PUBLISH | WILL);
    RULES[0x09] = new Rule(Encoding.LENGTH_PREFIXED, PUBLISH | WILL);
    RULES[SUBSCRIPTION_IDENTIFIER] = new Rule(Encoding.INTEGER, SUBSCRIBE);
    RULES[0x11] = new Rule(Encoding.FOUR_BYTES, CONNECT | DISCONNECT);
    RULES[0x15] = new Rule(Encoding.LENGTH_PREFIXED, CONNECT | AUTH);
    RULES[0x16] = new Rule(Encoding.LENGTH_PREFIXED, CONNECT | AUTH);
    RULES[0x17] = new Rule(Encoding.FLAG, CONNECT);
    RULES[0x18] = new Rule(Encoding.FOUR_BYTES, WILL);
    RULES[0x19] = new Rule(Encoding.FLAG, CONNECT);
    RULES[0x1F] = new Rule(Encoding.LENGTH_PREFIXED, REPLY | DISCONNECT | AUTH);
    RULES[0x21] = new Rule(Encoding.TWO_BYTES, CONNECT);
    RULES[0x22] = new Rule(Encoding.TWO_BYTES, CONNECT);
    RULES[0x23] = new Rule(Encoding.TWO_BYTES, PUBLISH);
    RULES[USER_PROPERTY] = new Rule(Encoding.STRING_PAIR, ALL);
    RULES[0x27] = new Rule(Encoding.FOUR_BYTES, CONNECT);
  }

  private PropertyRules() {}

  /** Checks the properties at the cursor and moves the cursor past them. */
  static void check(PacketCursor cursor, int packet) {
    int bytes = cursor.readInteger();
    if (bytes > cursor.remaining()) {
      throw RawPacketRules.malformed(
          "properties extend past the end of the packet", cursor.level());
    }
    int remainingAfter = cursor.remaining() - bytes;
    long presentIds = 0;
    while (cursor.remaining() > remainingAfter) {
      int id = cursor.readInteger();
      skipValue(cursor, id, packet);
      if ((presentIds & 1L << id) != 0 && id != USER_PROPERTY) {
        throw protocolError("property " + id + " occurs more than once", cursor.level());
      }
      presentIds |= 1L << id;
    }
    if (cursor.remaining() != remainingAfter) {
      throw RawPacketRules.malformed("a property extends past the property length", cursor.level());
    }
  }

  private static void skipValue(PacketCursor cursor, int id, int packet) {
    Rule rule = id < RULES.length ? RULES[id] : null;
    if (rule == null || (rule.packets & packet) == 0) {
      if (id == SUBSCRIPTION_IDENTIFIER && packet == PUBLISH) {
        throw protocolError(
            "a client must not send a subscription identifier in PUBLISH", cursor.level());
      }
      throw RawPacketRules.malformed(
          "property " + id + " is not allowed in this packet", cursor.level());
    }
    switch (rule.encoding) {
      case FLAG -> {
        if (cursor.readByte() > 1) {
          throw protocolError("property " + id + " must be 0 or 1", cursor.level());
        }
      }
      case TWO_BYTES -> cursor.skip(2);
      case FOUR_BYTES -> cursor.skip(4);
      case INTEGER -> cursor.readInteger();
      case LENGTH_PREFIXED -> cursor.skipLengthPrefixed();
      case STRING_PAIR -> {
        cursor.skipLengthPrefixed();
        cursor.skipLengthPrefixed();
      }
    }
  }

  private static ProtocolViolation protocolError(String detail, int level) {
    return new ProtocolViolation(CloseReason.PROTOCOL_ERROR, detail, level);
  }
}
