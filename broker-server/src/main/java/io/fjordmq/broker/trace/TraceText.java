package io.fjordmq.broker.trace;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/**
 * Writes fields of a trace line. Clients choose many of the values, so everything that could end a
 * line, look like another field or control a terminal is quoted and escaped.
 */
final class TraceText {
  /** Longer values are shortened. */
  static final int MAX_CHARS = 512;

  private static final String BARE = "_-./:$@%+#*,";

  private final StringBuilder out;

  TraceText(StringBuilder out) {
    this.out = out;
  }

  /** Writes a word chosen by the broker. */
  TraceText word(String word) {
    out.append(' ').append(word);
    return this;
  }

  TraceText field(String name, long value) {
    out.append(' ').append(name).append('=').append(value);
    return this;
  }

  TraceText field(String name, String value) {
    return field(name, value, MAX_CHARS);
  }

  TraceText field(String name, String value, int maxChars) {
    out.append(' ').append(name).append('=');
    value(out, value, maxChars);
    return this;
  }

  /** Writes a reason code of MQTT 5. */
  TraceText code(String name, int code) {
    out.append(' ').append(name).append("=0x");
    HexFormat.of().withUpperCase().toHexDigits(out, (byte) code);
    return this;
  }

  /** Writes a text between quotes. */
  TraceText quoted(String text) {
    out.append(' ');
    quote(out, text, MAX_CHARS);
    return this;
  }

  /**
   * Writes the payload of a message.
   *
   * @param payload the payload or its beginning
   * @param bytes the size of the whole payload
   * @param maxBytes the maximum number of bytes to show
   */
  TraceText payload(byte[] payload, int bytes, PayloadEncoding encoding, int maxBytes) {
    field("payload_bytes", bytes);
    if (encoding == PayloadEncoding.HIDDEN || bytes == 0) {
      return this;
    }
    int shown = Math.min(payload.length, maxBytes);
    out.append(" payload=");
    if (encoding == PayloadEncoding.HEX) {
      out.append("0x").append(HexFormat.of().formatHex(payload, 0, shown));
    } else {
      quote(out, new String(payload, 0, shown, StandardCharsets.UTF_8), Integer.MAX_VALUE);
    }
    if (shown < bytes) {
      word("truncated");
    }
    return this;
  }

  /** Writes a value, with quotes if it contains anything but harmless ASCII characters. */
  static void value(StringBuilder out, String value, int maxChars) {
    if (!value.isEmpty()
        && value.length() <= maxChars
        && value.chars().allMatch(TraceText::isBare)) {
      out.append(value);
    } else {
      quote(out, value, maxChars);
    }
  }

  private static boolean isBare(int c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || BARE.indexOf(c) >= 0;
  }

  private static void quote(StringBuilder out, String text, int maxChars) {
    out.append('"');
    int end = Math.min(text.length(), maxChars);
    for (int i = 0; i < end; ) {
      int c = text.codePointAt(i);
      i += Character.charCount(c);
      if (c == '"' || c == '\\') {
        out.append('\\').append((char) c);
      } else if (c == '\n') {
        out.append("\\n");
      } else if (isPrintable(c)) {
        out.appendCodePoint(c);
      } else {
        out.append(String.format("\\u%04x", c));
      }
    }
    out.append(end < text.length() ? "...\"" : "\"");
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED ->
          false;
      default -> true;
    };
  }
}
