package io.fjordmq.perf;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Hashes of algorithms that every JDK provides. */
public final class Digests {
  private static final String MAC = "HmacSHA256";

  private Digests() {}

  /**
   * Returns the hash of several parts, one after another.
   *
   * @param algorithm SHA-256 or SHA-512
   */
  public static byte[] hash(String algorithm, byte[]... parts) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      for (byte[] part : parts) {
        digest.update(part);
      }
      return digest.digest();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + algorithm, e);
    }
  }

  /** Returns the message authentication code HMAC-SHA-256. */
  public static byte[] hmacSha256(byte[] key, byte[] data) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(new SecretKeySpec(key, MAC));
      return mac.doFinal(data);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + MAC, e);
    }
  }
}
