package io.fjordmq.broker.scenario;

import java.util.HexFormat;

/** Parts of packets as hexadecimal digits, without validation. */
final class Bytes {
  private Bytes() {}

  static String one(int value) {
    return HexFormat.of().toHexDigits((byte) value);
  }

  static String two(int value) {
    return HexFormat.of().toHexDigits((short) value);
  }

  static String four(long value) {
    return HexFormat.of().toHexDigits((int) value);
  }

  /** A variable byte integer. */
  static String integer(int value) {
    StringBuilder hex = new StringBuilder();
    int rest = value;
    while (rest >= 0x80) {
      hex.append(one(rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    return hex.append(one(rest)).toString();
  }

  /** Text or binary data with its length before it. */
  static String counted(String value) {
    byte[] bytes = Value.bytes(value);
    return two(bytes.length) + HexFormat.of().formatHex(bytes);
  }

  static String plain(String value) {
    return HexFormat.of().formatHex(Value.bytes(value));
  }

  /** Properties with their length before them. */
  static String properties(String hex) {
    return integer(hex.length() / 2) + hex;
  }

  static String packet(int first, String body) {
    return one(first) + integer(body.length() / 2) + body;
  }
}
