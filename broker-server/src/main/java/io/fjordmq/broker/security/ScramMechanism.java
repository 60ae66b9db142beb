package io.fjordmq.broker.security;

import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** The SCRAM mechanisms (RFC 7677), named as in the Authentication Method of MQTT 5. */
public enum ScramMechanism {
  SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256", 32),
  SHA_512("SCRAM-SHA-512", "SHA-512", "HmacSHA512", 64);

  private final String method;
  private final String digest;
  private final String mac;
  private final int bytes;

  ScramMechanism(String method, String digest, String mac, int bytes) {
    this.method = method;
    this.digest = digest;
    this.mac = mac;
    this.bytes = bytes;
  }

  /** The Authentication Method, e.g. {@code SCRAM-SHA-256}. */
  public String method() {
    return method;
  }

  /** The length of hashes and keys in bytes. */
  public int bytes() {
    return bytes;
  }

  /** Returns the mechanism with this Authentication Method; null if there is none. */
  public static @Nullable ScramMechanism named(String method) {
    for (ScramMechanism one : values()) {
      if (one.method.equals(method)) {
        return one;
      }
    }
    return null;
  }

  /** H(data) of RFC 5802. */
  byte[] hash(byte[] data) {
    try {
      return MessageDigest.getInstance(digest).digest(data);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide " + digest, e);
    }
  }

  /** HMAC(key, data) of RFC 5802. */
  byte[] hmac(byte[] key, byte[] data) {
    return keyed(key).doFinal(data);
  }

  /**
   * Hi(password, salt, iterations) of RFC 5802, which is PBKDF2. Slow by design.
   *
   * @param password not empty
   */
  byte[] saltedPassword(byte[] password, byte[] salt, int iterations) {
    Mac keyed = keyed(password);
    keyed.update(salt);
    byte[] block = keyed.doFinal(new byte[] {0, 0, 0, 1});
    byte[] result = block.clone();
    for (int i = 1; i < iterations; i++) {
      block = keyed.doFinal(block);
      for (int j = 0; j < result.length; j++) {
        result[j] ^= block[j];
      }
    }
    return result;
  }

  private Mac keyed(byte[] key) {
    try {
      Mac keyed = Mac.getInstance(mac);
      keyed.init(new SecretKeySpec(key, mac));
      return keyed;
    } catch (InvalidKeyException e) {
      throw new IllegalArgumentException("the key is invalid", e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + mac, e);
    }
  }
}
