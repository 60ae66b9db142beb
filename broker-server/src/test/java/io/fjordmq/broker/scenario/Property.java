package io.fjordmq.broker.scenario;

import java.util.Arrays;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The properties of MQTT 5 (§2.2.2.2), with the names that scenarios give them. */
enum Property {
  FORMAT(0x01, Form.BYTE),
  MESSAGE_EXPIRY(0x02, Form.FOUR_BYTES),
  CONTENT_TYPE(0x03, Form.COUNTED),
  RESPONSE_TOPIC(0x08, Form.COUNTED),
  CORRELATION(0x09, Form.COUNTED),
  SUBSCRIPTION_ID(0x0B, Form.INTEGER),
  EXPIRY(0x11, Form.FOUR_BYTES),
  ASSIGNED_ID(0x12, Form.COUNTED),
  SERVER_KEEP_ALIVE(0x13, Form.TWO_BYTES),
  METHOD(0x15, Form.COUNTED),
  DATA(0x16, Form.COUNTED),
  PROBLEM_INFORMATION(0x17, Form.BYTE),
  WILL_DELAY(0x18, Form.FOUR_BYTES),
  RESPONSE_WANTED(0x19, Form.BYTE),
  RESPONSE_INFORMATION(0x1A, Form.COUNTED),
  SERVER_REFERENCE(0x1C, Form.COUNTED),
  REASON(0x1F, Form.COUNTED),
  RECEIVE_MAXIMUM(0x21, Form.TWO_BYTES),
  ALIAS_MAXIMUM(0x22, Form.TWO_BYTES),
  ALIAS(0x23, Form.TWO_BYTES),
  MAXIMUM_QOS(0x24, Form.BYTE),
  RETAIN_AVAILABLE(0x25, Form.BYTE),
  USER_PROPERTY(0x26, Form.TWO_TEXTS),
  MAXIMUM_PACKET(0x27, Form.FOUR_BYTES),
  WILDCARDS_AVAILABLE(0x28, Form.BYTE),
  SUBSCRIPTION_IDS_AVAILABLE(0x29, Form.BYTE),
  SHARES_AVAILABLE(0x2A, Form.BYTE);

  private enum Form {
    BYTE,
    TWO_BYTES,
    FOUR_BYTES,
    INTEGER,
    COUNTED,
    TWO_TEXTS
  }

  private final int id;
  private final Form form;

  Property(int id, Form form) {
    this.id = id;
    this.form = form;
  }

  String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static @Nullable Property named(String word) {
    return Arrays.stream(values()).filter(one -> one.word().equals(word)).findAny().orElse(null);
  }

  static Property of(int id) {
    return Arrays.stream(values())
        .filter(one -> one.id == id)
        .findAny()
        .orElseThrow(() -> new IllegalArgumentException("no property " + id));
  }

  /** Identifier and value. */
  String encode(String value) {
    return Bytes.one(id)
        + switch (form) {
          case BYTE -> Bytes.one(Integer.parseInt(value));
          case TWO_BYTES -> Bytes.two(Integer.parseInt(value));
          case FOUR_BYTES -> Bytes.four(Long.parseLong(value));
          case INTEGER -> Bytes.integer(Integer.parseInt(value));
          case COUNTED -> Bytes.counted(value);
          case TWO_TEXTS -> {
            int colon = value.indexOf(':');
            if (colon < 0) {
              throw new IllegalArgumentException("is key:value");
            }
            yield Bytes.counted(value.substring(0, colon))
                + Bytes.counted(value.substring(colon + 1));
          }
        };
  }

  /** The value that stands next in the packet. */
  String read(PacketCursor in) {
    return switch (form) {
      case BYTE -> String.valueOf(in.one());
      case TWO_BYTES -> String.valueOf(in.two());
      case FOUR_BYTES -> String.valueOf(in.four());
      case INTEGER -> String.valueOf(in.integer());
      case COUNTED -> Value.format(in.counted());
      case TWO_TEXTS -> Value.format(in.counted()) + ":" + Value.format(in.counted());
    };
  }
}
