package io.fjordmq.broker.security;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.text.Normalizer;

/**
 * Prepares passwords as SCRAM clients do (SASLprep, RFC 4013): maps spaces, removes invisible
 * characters, and normalizes. What SASLprep prohibits is not refused, because such a password works
 * in a CONNECT; a client that refuses it cannot use it with SCRAM.
 */
final class ScramPassword {
  private static final int FIRST_VARIATION_SELECTOR = 0xFE00;
  private static final int LAST_VARIATION_SELECTOR = 0xFE0F;

  private ScramPassword() {}

  /** Returns the bytes that SCRAM hashes; unchanged if they are not UTF-8. */
  static byte[] prepare(byte[] password) {
    String text;
    try {
      text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(password)).toString();
    } catch (CharacterCodingException e) {
      return password;
    }
    StringBuilder mapped = new StringBuilder(text.length());
    text.codePoints()
        .filter(c -> !isMappedToNothing(c))
        .map(c -> isSpace(c) ? ' ' : c)
        .forEach(mapped::appendCodePoint);
    byte[] prepared =
        Normalizer.normalize(mapped, Normalizer.Form.NFKC).getBytes(StandardCharsets.UTF_8);
    return prepared.length == 0 ? password : prepared;
  }

  /** Table C.1.2 of RFC 3454. */
  private static boolean isSpace(int c) {
    return Character.getType(c) == Character.SPACE_SEPARATOR || c == 0x200B;
  }

  /** Table B.1 of RFC 3454, without U+200B, which is also in table C.1.2. */
  private static boolean isMappedToNothing(int c) {
    return switch (c) {
      case 0x00AD, 0x034F, 0x1806, 0x180B, 0x180C, 0x180D, 0x200C, 0x200D, 0x2060, 0xFEFF -> true;
      default -> c >= FIRST_VARIATION_SELECTOR && c <= LAST_VARIATION_SELECTOR;
    };
  }
}
