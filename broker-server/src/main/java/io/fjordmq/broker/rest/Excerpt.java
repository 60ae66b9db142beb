package io.fjordmq.broker.rest;

/** Shortens input of a caller before a message quotes it. */
final class Excerpt {
  private static final int MAX_CHARACTERS = 100;

  private Excerpt() {}

  /** The beginning of the text, without control characters. */
  static String of(String text) {
    StringBuilder excerpt = new StringBuilder();
    text.codePoints()
        .limit(MAX_CHARACTERS)
        .map(c -> Character.isISOControl(c) || isSurrogate(c) ? '?' : c)
        .forEach(excerpt::appendCodePoint);
    return text.codePointCount(0, text.length()) > MAX_CHARACTERS
        ? excerpt.append("…").toString()
        : excerpt.toString();
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
