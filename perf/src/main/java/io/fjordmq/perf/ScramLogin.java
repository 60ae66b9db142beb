package io.fjordmq.perf;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Logs in a user with SCRAM-SHA-256 (RFC 5802, RFC 7677). Derives keys only for the first login,
 * because the load tool must not become the bottleneck. Thread-safe.
 */
public final class ScramLogin {
  static final String METHOD = "SCRAM-SHA-256";

  private static final int KEY_BITS = 256;
  private static final int NONCE_BYTES = 18;

  /** No channel binding, and no other authorization identity. */
  private static final String GS2_HEADER = "n,,";

  private final String userName;
  private final String password;
  private final SecureRandom random = new SecureRandom();
  private volatile @Nullable Keys keys;

  /** The keys for the salt and the iterations that the server has chosen. */
  @SuppressWarnings("ArrayRecordComponent") // never compared by value
  private record Keys(String salt, String iterations, byte[] clientKey, byte[] serverKey) {}

  /**
   * @param userName without commas and equals signs, which would have to be escaped
   * @param password printable ASCII, which needs no preparation
   */
  public ScramLogin(String userName, String password) {
    this.userName = userName;
    this.password = password;
  }

  /** Begins a login. */
  Exchange begin() {
    byte[] nonce = new byte[NONCE_BYTES];
    random.nextBytes(nonce);
    return begin(Base64.getEncoder().encodeToString(nonce));
  }

  Exchange begin(String nonce) {
    return new Exchange("n=" + userName + ",r=" + nonce);
  }

  /** The client's part of one login. Not thread-safe. */
  final class Exchange {
    private final String bare;
    private byte[] signature = {};

    private Exchange(String bare) {
      this.bare = bare;
    }

    /** Returns the client's first message. */
    byte[] first() {
      return (GS2_HEADER + bare).getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the client's last message. */
    byte[] last(byte[] serverFirst) {
      String message = new String(serverFirst, StandardCharsets.US_ASCII);
      String[] parts = message.split(",", -1);
      if (parts.length < 3
          || !parts[0].startsWith(bare.substring(bare.indexOf(",r=") + 1))
          || !parts[1].startsWith("s=")
          || !parts[2].startsWith("i=")) {
        throw new IllegalStateException("invalid SCRAM message of the broker: " + message);
      }
      Keys known = keys(parts[1].substring(2), parts[2].substring(2));
      String header =
          Base64.getEncoder().encodeToString(GS2_HEADER.getBytes(StandardCharsets.US_ASCII));
      String withoutProof = "c=" + header + "," + parts[0];
      byte[] signed =
          (bare + "," + message + "," + withoutProof).getBytes(StandardCharsets.US_ASCII);
      byte[] proof = Digests.hmacSha256(Digests.hash("SHA-256", known.clientKey), signed);
      for (int i = 0; i < proof.length; i++) {
        proof[i] ^= known.clientKey[i];
      }
      signature = Digests.hmacSha256(known.serverKey, signed);
      return (withoutProof + ",p=" + Base64.getEncoder().encodeToString(proof))
          .getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Checks the server's last message.
     *
     * @throws IllegalStateException if the server does not know the password
     */
    void verify(byte[] serverFinal) {
      String expected = "v=" + Base64.getEncoder().encodeToString(signature);
      if (!Arrays.equals(serverFinal, expected.getBytes(StandardCharsets.US_ASCII))) {
        throw new IllegalStateException("the broker has sent a wrong SCRAM signature");
      }
    }
  }

  private Keys keys(String salt, String iterations) {
    Keys known = keys;
    if (known == null || !known.salt.equals(salt) || !known.iterations.equals(iterations)) {
      byte[] salted =
          saltedPassword(Base64.getDecoder().decode(salt), Integer.parseInt(iterations));
      known =
          new Keys(
              salt,
              iterations,
              Digests.hmacSha256(salted, "Client Key".getBytes(StandardCharsets.US_ASCII)),
              Digests.hmacSha256(salted, "Server Key".getBytes(StandardCharsets.US_ASCII)));
      keys = known;
    }
    return known;
  }

  private byte[] saltedPassword(byte[] salt, int iterations) {
    try {
      return SecretKeyFactory.getInstance("PBKDF2WithHmacSHA256")
          .generateSecret(new PBEKeySpec(password.toCharArray(), salt, iterations, KEY_BITS))
          .getEncoded();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide PBKDF2WithHmacSHA256", e);
    }
  }
}
