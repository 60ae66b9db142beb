package io.fjordmq.broker.rest;

/** Shortens input of a caller before a message quotes it. */
final class Excerpt {
  private static final int MAX_CHARACTERS = 100;

  private Excerpt() {}

  /** The beginning of the text, without control characters. */
  static String of(String text) {
    return of(text, MAX_CHARACTERS);
  }

  /** The same for a longer text, of which the input is only a part. */
  static String of(String text, int maxCharacters) {
    StringBuilder excerpt = new StringBuilder();
    text.codePoints()
        .limit(maxCharacters)
        .map(c -> Character.isISOControl(c) || isSurrogate(c) ? '?' : c)
        .forEach(excerpt::appendCodePoint);
    return text.codePointCount(0, text.length()) > maxCharacters
        ? excerpt.append("…").toString()
        : excerpt.toString();
  }

  private static boolean isSurrogate(int codePoint) {
    return codePoint >= Character.MIN_SURROGATE && codePoint <= Character.MAX_SURROGATE;
  }
}
