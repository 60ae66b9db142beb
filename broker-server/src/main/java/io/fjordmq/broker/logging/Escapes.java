package io.fjordmq.broker.logging;

/** Escapes characters that would end a line or control a terminal, as in JSON. */
final class Escapes {
  private static final String HEX = "0123456789abcdef";

  private Escapes() {}

  /** Whether a character may end a line or control a terminal. */
  static boolean breaksLine(char c) {
    return Character.isISOControl(c) || c == '\u2028' || c == '\u2029';
  }

  /**
   * Returns the text without line breaks and control characters; the text itself if it has none.
   */
  static String oneLine(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c != '\t' && breaksLine(c)) {
        return escaped(text, false);
      }
    }
    return text;
  }

  /** Returns the text as it is between quotes, as in JSON. */
  static String quoted(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '"' || c == '\\' || breaksLine(c) || Character.isSurrogate(c)) {
        return escaped(text, true);
      }
    }
    return text;
  }

  private static String escaped(String text, boolean forQuotes) {
    StringBuilder out = new StringBuilder(text.length() + 16);
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append(forQuotes ? "\\t" : "\t");
        case '"', '\\' -> (forQuotes ? out.append('\\') : out).append(c);
        default -> appendOther(out, text, i, c);
      }
    }
    return out.toString();
  }

  private static void appendOther(StringBuilder out, String text, int at, char c) {
    if (breaksLine(c) || isUnpaired(text, at, c)) {
      out.append("\\u");
      for (int shift = 12; shift >= 0; shift -= 4) {
        out.append(HEX.charAt(c >> shift & 0xF));
      }
    } else {
      out.append(c);
    }
  }

  /** Whether the character is a surrogate without its other half, which UTF-8 cannot encode. */
  private static boolean isUnpaired(String text, int at, char c) {
    if (Character.isHighSurrogate(c)) {
      return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
    }
    return Character.isLowSurrogate(c)
        && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1)));
  }
}
