package io.fjordmq.auth.hash;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;
import java.util.Locale;
import java.util.Map;

/**
 * Passwords as directories store them (RFC 2307): the name of a scheme in braces, then the Base64
 * encoding of the hash and the salt behind it. Text without a scheme is the password itself.
 */
public final class SchemeHash {
  private static final Map<String, String> DIGESTS =
      Map.ofEntries(
          Map.entry("MD5", "MD5"),
          Map.entry("SMD5", "MD5"),
          Map.entry("SHA", "SHA-1"),
          Map.entry("SSHA", "SHA-1"),
          Map.entry("SHA256", "SHA-256"),
          Map.entry("SSHA256", "SHA-256"),
          Map.entry("SHA384", "SHA-384"),
          Map.entry("SSHA384", "SHA-384"),
          Map.entry("SHA512", "SHA-512"),
          Map.entry("SSHA512", "SHA-512"));

  private SchemeHash() {}

  /**
   * Whether the stored value is the one of the password. The comparison takes constant time. No
   * password matches an empty value.
   *
   * @throws IllegalArgumentException if the scheme is not supported; the message names it
   */
  public static boolean matches(byte[] password, byte[] stored) {
    String text = new String(stored, StandardCharsets.ISO_8859_1);
    int end = text.indexOf('}');
    if (!text.startsWith("{") || end < 0) {
      return stored.length > 0 && MessageDigest.isEqual(password, stored);
    }
    String scheme = text.substring(1, end).toUpperCase(Locale.ROOT);
    String algorithm = DIGESTS.get(scheme);
    if (algorithm == null) {
      throw new IllegalArgumentException(
          "passwords with the scheme {" + scheme + "} are not supported; use method: bind");
    }
    byte[] hashAndSalt;
    try {
      hashAndSalt = Base64.getDecoder().decode(text.substring(end + 1).strip());
    } catch (IllegalArgumentException e) {
      return false;
    }
    MessageDigest digest = digest(algorithm);
    int length = digest.getDigestLength();
    boolean salted = scheme.startsWith("SS") || scheme.equals("SMD5");
    if (hashAndSalt.length < length || (!salted && hashAndSalt.length > length)) {
      return false;
    }
    digest.update(password);
    digest.update(hashAndSalt, length, hashAndSalt.length - length);
    return MessageDigest.isEqual(digest.digest(), Arrays.copyOf(hashAndSalt, length));
  }

  private static MessageDigest digest(String algorithm) {
    try {
      return MessageDigest.getInstance(algorithm);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide " + algorithm, e);
    }
  }
}
