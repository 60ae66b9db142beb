package io.fjordmq.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;

/**
 * What a server stores to check SCRAM logins of a user (RFC 5802 §3). It does not contain the
 * password, and nobody can log in with it. Immutable; the arrays must not be modified.
 *
 * @param iterations of PBKDF2, which clients compute at each login
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record ScramVerifier(
    ScramMechanism mechanism, int iterations, byte[] salt, byte[] storedKey, byte[] serverKey) {
  /** The minimum of RFC 7677. */
  public static final int MIN_ITERATIONS = 4_096;

  public static final int MAX_ITERATIONS = 1_000_000;

  /** The longest salt that is stored or sent. */
  public static final int MAX_SALT_BYTES = 64;

  static final int SALT_BYTES = 16;

  private static final byte[] CLIENT_KEY = "Client Key".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SERVER_KEY = "Server Key".getBytes(StandardCharsets.US_ASCII);

  /**
   * @throws IllegalArgumentException if a value has an invalid length or is out of range
   */
  public ScramVerifier {
    if (iterations < MIN_ITERATIONS || iterations > MAX_ITERATIONS) {
      throw new IllegalArgumentException(
          "iterations must be between "
              + MIN_ITERATIONS
              + " and "
              + MAX_ITERATIONS
              + ", not "
              + iterations);
    }
    if (salt.length == 0
        || salt.length > MAX_SALT_BYTES
        || storedKey.length != mechanism.bytes()
        || serverKey.length != mechanism.bytes()) {
      throw new IllegalArgumentException("invalid length of a salt or key");
    }
  }

  /**
   * Creates a verifier with a new salt. Slow by design.
   *
   * @param password prepared as RFC 5802 requires; not empty
   */
  static ScramVerifier of(
      ScramMechanism mechanism, int iterations, byte[] password, SecureRandom random) {
    byte[] salt = new byte[SALT_BYTES];
    random.nextBytes(salt);
    return of(mechanism, iterations, password, salt);
  }

  /** Creates a verifier with this salt. Slow by design. */
  static ScramVerifier of(ScramMechanism mechanism, int iterations, byte[] password, byte[] salt) {
    byte[] salted = mechanism.saltedPassword(password, salt, iterations);
    return new ScramVerifier(
        mechanism,
        iterations,
        salt,
        mechanism.hash(mechanism.hmac(salted, CLIENT_KEY)),
        mechanism.hmac(salted, SERVER_KEY));
  }

  /** Omits the keys. */
  @Override
  public String toString() {
    return mechanism.method() + " with " + iterations + " iterations";
  }
}
