package io.fjordmq.broker.protocol;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** Builds packets as hexadecimal digits, without any validation. */
final class Packets {
  static final String CLEAN_START = "02";
  static final String RESUME = "00";

  private Packets() {}

  static String bytes(int... values) {
    StringBuilder hex = new StringBuilder();
    for (int value : values) {
      hex.append(HexFormat.of().toHexDigits((byte) value));
    }
    return hex.toString();
  }

  static String uint16(int value) {
    return HexFormat.of().toHexDigits((short) value);
  }

  static String uint32(long value) {
    return HexFormat.of().toHexDigits((int) value);
  }

  /** Puts the length, as two bytes, before the bytes. */
  static String withLength(String hex) {
    return uint16(hex.length() / 2) + hex;
  }

  static String text(String text) {
    return withLength(HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8)));
  }

  /** Encodes a variable byte integer. */
  static String varInt(int value) {
    StringBuilder hex = new StringBuilder();
    int rest = value;
    while (rest >= 0x80) {
      hex.append(bytes(rest & 0x7F | 0x80));
      rest >>>= 7;
    }
    return hex.append(bytes(rest)).toString();
  }

  /** Puts the length before the properties, each of which is an identifier with its value. */
  static String properties(String... properties) {
    String all = String.join("", properties).replace(" ", "");
    return varInt(all.length() / 2) + all;
  }

  /** Builds a packet with this first byte; computes the remaining length. */
  static String packet(int first, String... parts) {
    String body = String.join("", parts).replace(" ", "");
    return bytes(first) + varInt(body.length() / 2) + body;
  }

  /** Builds an MQTT 5 CONNECT from its flags and all fields from the properties on. */
  static String connect5(String flags, String... rest) {
    return packet(0x10, text("MQTT"), "05", flags, "0000", String.join("", rest));
  }

  static String connect5(String clientId, boolean clean, String... properties) {
    return connect5(clean ? CLEAN_START : RESUME, properties(properties), text(clientId));
  }

  static String connect4(String clientId, boolean clean) {
    return packet(0x10, text("MQTT"), "04", clean ? CLEAN_START : RESUME, "0000", text(clientId));
  }

  static String connect3(String clientId, boolean clean) {
    return packet(0x10, text("MQIsdp"), "03", clean ? CLEAN_START : RESUME, "0000", text(clientId));
  }

  static String expiry(long seconds) {
    return "11" + uint32(seconds);
  }

  /** Builds an MQTT 3 PUBLISH with QoS 0. */
  static String publish(String topic, String payload) {
    return packet(0x30, text(topic), payload);
  }

  /** Builds an MQTT 5 PUBLISH; without packet identifier if it is 0. */
  static String publish5(int first, int id, String topic, String properties, String payload) {
    return packet(first, text(topic), id == 0 ? "" : uint16(id), properties, payload);
  }

  static String publish5(String topic, String payload) {
    return publish5(0x30, 0, topic, "00", payload);
  }

  static String subscribe5(int id, String properties, String... filters) {
    return packet(0x82, uint16(id), properties, String.join("", filters));
  }

  static String subscribe5(int id, String filter, int options) {
    return subscribe5(id, "00", text(filter) + bytes(options));
  }

  static String subscribe(int id, String filter, int qos) {
    return packet(0x82, uint16(id), text(filter), bytes(qos));
  }

  static String ack(int first, int id) {
    return packet(first, uint16(id));
  }

  static String ack(int first, int id, int code) {
    return packet(first, uint16(id), bytes(code));
  }
}
