package io.fjordmq.broker.sys;

import org.jspecify.annotations.Nullable;

/** Writes one flat JSON object (RFC 8259). */
final class JsonWriter {
  private final StringBuilder out = new StringBuilder("{");

  JsonWriter with(String name, long value) {
    return raw(name, Long.toString(value));
  }

  JsonWriter with(String name, boolean value) {
    return raw(name, Boolean.toString(value));
  }

  JsonWriter with(String name, @Nullable String value) {
    return raw(name, value == null ? "null" : quote(value));
  }

  private JsonWriter raw(String name, String value) {
    out.append(out.length() == 1 ? "" : ",").append(quote(name)).append(':').append(value);
    return this;
  }

  private static String quote(String text) {
    StringBuilder quoted = new StringBuilder(text.length() + 2).append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (c < 0x20 || Character.isSurrogate(c)) {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }

  @Override
  public String toString() {
    return out + "}";
  }
}
