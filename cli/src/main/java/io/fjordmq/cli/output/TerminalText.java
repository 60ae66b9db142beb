package io.fjordmq.cli.output;

import java.lang.Character.UnicodeScript;
import java.util.Locale;

/** Prepares text for a terminal: removes control characters, and cuts it to a width. */
final class TerminalText {
  private static final String ELLIPSIS = "…";
  private static final int EMOJI_BEGIN = 0x1F300;
  private static final int EMOJI_END = 0x1FAFF;

  private TerminalText() {}

  /**
   * Escapes control characters, line breaks and invisible formatting, because texts of clients must
   * not be able to move the cursor or to hide other texts.
   */
  static String printable(String text) {
    if (text.codePoints().allMatch(TerminalText::isPrintable)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder();
    text.codePoints()
        .forEach(
            c -> {
              if (isPrintable(c)) {
                escaped.appendCodePoint(c);
              } else {
                escaped.append(String.format(Locale.ROOT, c > 0xffff ? "\\U%08x" : "\\u%04x", c));
              }
            });
    return escaped.toString();
  }

  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      default -> true;
    };
  }

  /** Returns the number of terminal columns that a text needs. */
  static int width(String text) {
    return text.codePoints().map(TerminalText::width).sum();
  }

  /** Cuts a text to a width of at least 1. */
  static String cut(String text, int width) {
    if (width(text) <= width) {
      return text;
    }
    int end = 0;
    int used = 1; // the ellipsis
    while (end < text.length()) {
      int c = text.codePointAt(end);
      if (used + width(c) > width) {
        break;
      }
      used += width(c);
      end += Character.charCount(c);
    }
    return text.substring(0, end) + ELLIPSIS;
  }

  private static int width(int c) {
    if (c < 0x300) {
      return 1;
    }
    int type = Character.getType(c);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    UnicodeScript script = UnicodeScript.of(c);
    boolean wide =
        script == UnicodeScript.HAN
            || script == UnicodeScript.HIRAGANA
            || script == UnicodeScript.KATAKANA
            || script == UnicodeScript.HANGUL
            || (c >= EMOJI_BEGIN && c <= EMOJI_END);
    return wide ? 2 : 1;
  }
}
