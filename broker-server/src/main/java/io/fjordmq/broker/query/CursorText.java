package io.fjordmq.broker.query;

import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** Positions in lists as strings that are safe in URLs: Base64 for URLs, without padding. */
public final class CursorText {
  private static final int DIGITS_AT_ONCE = 4;

  private CursorText() {}

  /** Encodes bytes. */
  public static String of(byte[] bytes) {
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Encodes a string. */
  public static String of(String text) {
    return of(text.getBytes(StandardCharsets.UTF_8));
  }

  /**
   * Decodes bytes. A last digit that encodes no byte, which {@link #of} does not return, is
   * ignored, so that any sequence of digits is a position.
   *
   * @throws IllegalArgumentException if a character is not a digit of Base64 for URLs
   */
  public static byte[] bytes(String digits) {
    boolean isEven = digits.length() % DIGITS_AT_ONCE != 1;
    return Base64.getUrlDecoder()
        .decode(isEven ? digits : digits.substring(0, digits.length() - 1));
  }

  /**
   * Decodes a string; invalid UTF-8 becomes U+FFFD.
   *
   * @throws IllegalArgumentException if a character is not a digit of Base64 for URLs
   */
  public static String text(String digits) {
    return new String(bytes(digits), StandardCharsets.UTF_8);
  }
}
