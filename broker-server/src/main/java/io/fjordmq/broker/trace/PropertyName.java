package io.fjordmq.broker.trace;

import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The names and encodings of the MQTT 5 properties (MQTT 5.0 §2.2.2.2).
 *
 * @param label the name in a trace
 */
record PropertyName(String label, Encoding encoding) {
  /** How the value of a property is encoded. */
  enum Encoding {
    BYTE,
    TWO_BYTES,
    FOUR_BYTES,
    VARINT,
    TEXT,
    BYTES,
    /** Bytes that a trace never shows. */
    SECRET,
    PAIR
  }

  private static final PropertyName[] NAMES = new PropertyName[0x2B];

  static {
    name(0x01, "payload_format_indicator", Encoding.BYTE);
    name(0x02, "message_expiry_interval", Encoding.FOUR_BYTES);
    name(0x03, "content_type", Encoding.TEXT);
    name(0x08, "response_topic", Encoding.TEXT);
    name(0x09, "correlation_data", Encoding.BYTES);
    name(0x0B, "subscription_identifier", Encoding.VARINT);
    name(0x11, "session_expiry_interval", Encoding.FOUR_BYTES);
    name(0x12, "assigned_client_identifier", Encoding.TEXT);
    name(0x13, "server_keep_alive", Encoding.TWO_BYTES);
    name(0x15, "authentication_method", Encoding.TEXT);
    name(0x16, "authentication_data", Encoding.SECRET);
    name(0x17, "request_problem_information", Encoding.BYTE);
    name(0x18, "will_delay_interval", Encoding.FOUR_BYTES);
    name(0x19, "request_response_information", Encoding.BYTE);
    name(0x1A, "response_information", Encoding.TEXT);
    name(0x1C, "server_reference", Encoding.TEXT);
    name(0x1F, "reason_string", Encoding.TEXT);
    name(0x21, "receive_maximum", Encoding.TWO_BYTES);
    name(0x22, "topic_alias_maximum", Encoding.TWO_BYTES);
    name(0x23, "topic_alias", Encoding.TWO_BYTES);
    name(0x24, "maximum_qos", Encoding.BYTE);
    name(0x25, "retain_available", Encoding.BYTE);
    name(0x26, "user_property", Encoding.PAIR);
    name(0x27, "maximum_packet_size", Encoding.FOUR_BYTES);
    name(0x28, "wildcard_subscription_available", Encoding.BYTE);
    name(0x29, "subscription_identifier_available", Encoding.BYTE);
    name(0x2A, "shared_subscription_available", Encoding.BYTE);
  }

  private static void name(int id, String label, Encoding encoding) {
    NAMES[id] = new PropertyName(label, encoding);
  }

  /** Returns the property with this identifier; null if there is none. */
  static @Nullable PropertyName of(int id) {
    return id >= 0 && id < NAMES.length ? NAMES[id] : null;
  }

  /**
   * Writes binary data, which belongs to the payload.
   *
   * @param shown the value or its beginning
   * @param bytes the size of the whole value
   */
  static void bytes(TraceText out, String name, byte[] shown, int bytes, PayloadEncoding encoding) {
    if (encoding == PayloadEncoding.HIDDEN) {
      out.field(name + "_bytes", bytes);
    } else {
      out.field(name, "0x" + HexFormat.of().formatHex(shown) + (shown.length < bytes ? "..." : ""));
    }
  }

  /** Writes a user property, whose value belongs to the payload. */
  static void pair(TraceText out, String name, String value, PayloadEncoding encoding) {
    out.field("user_property", name);
    if (encoding != PayloadEncoding.HIDDEN) {
      out.field("value", value);
    }
  }
}
