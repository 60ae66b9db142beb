package io.fjordmq.broker.security;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Locale;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * A password hash of another system, which is replaced when the user logs in. Never created from a
 * password.
 *
 * <pre>
 *   $2b$cost$salt-and-hash             bcrypt; also $2a$ and $2y$
 *   $sha256$prefix$salt$hash           digest of salt and password; also $md5$, $sha$ and $sha512$;
 *                                      suffix: the salt follows the password; none: no salt
 *   $pbkdf2-sha256$iterations$salt$hash
 * </pre>
 *
 * <p>Salt and hash are Base64, except for bcrypt. The salt of {@code none} is empty.
 */
@SuppressWarnings("ArrayRecordComponent") // only compared by matches()
sealed interface ImportedHash extends PasswordHash
    permits ImportedHash.Bcrypt, ImportedHash.Digested, ImportedHash.Pbkdf2Sha256 {

  /**
   * Parses a hash.
   *
   * @param parts the text, split at dollar signs
   * @throws IllegalArgumentException if the text is not such a hash
   */
  static PasswordHash parse(String text, String[] parts) {
    return switch (parts[1]) {
      case "2a", "2b", "2y" -> Bcrypt.parse(text, parts);
      case "md5", "sha", "sha256", "sha512" -> Digested.parse(parts);
      case "pbkdf2-sha256" -> {
        PasswordHash.requireParts(parts, 5);
        yield new Pbkdf2Sha256(
            PasswordHash.number(parts[2], 1, MAX_ITERATIONS, "iterations"),
            PasswordHash.bytes(parts[3]),
            PasswordHash.bytes(parts[4]));
      }
      default ->
          throw new IllegalArgumentException(
              "unknown hash type; supported are $6$, $7$, $argon2id$, $2a$, $2b$, $2y$, $md5$, $sha$,"
                  + " $sha256$, $sha512$ and $pbkdf2-sha256$");
    };
  }

  /** A bcrypt hash. */
  record Bcrypt(int cost, String text, byte[] hash) implements ImportedHash {
    /** More would take minutes. */
    private static final int MAX_COST = 16;

    private static final int MAX_PASSWORD_BYTES = 72;
    private static final int ENCODED_LENGTH = 53;

    /** Takes about as long as a new hash. */
    private static final int SLOW_COST = 10;

    private static Bcrypt parse(String text, String[] parts) {
      PasswordHash.requireParts(parts, 4);
      int cost = PasswordHash.number(parts[2], 4, MAX_COST, "the cost of bcrypt");
      boolean isValid =
          parts[2].length() == 2
              && parts[3].length() == ENCODED_LENGTH
              && parts[3].chars().allMatch(Bcrypt::isDigit);
      if (!isValid) {
        throw new IllegalArgumentException("$" + parts[1] + "$ is not a bcrypt hash");
      }
      return new Bcrypt(cost, text, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static boolean isDigit(int c) {
      return c == '.'
          || c == '/'
          || c >= '0' && c <= '9'
          || c >= 'A' && c <= 'Z'
          || c >= 'a' && c <= 'z';
    }

    /** bcrypt ignores what follows 72 bytes or a zero, so other passwords would match, too. */
    @Override
    public boolean matches(byte[] password) {
      boolean isWhole = password.length <= MAX_PASSWORD_BYTES;
      for (byte one : password) {
        isWhole &= one != 0;
      }
      try {
        return isWhole && OpenBSDBCrypt.checkPassword(text, password);
      } catch (RuntimeException e) { // the salt or the hash has unused bits
        return false;
      }
    }

    @Override
    public byte[] compute(byte[] password) {
      return matches(password) ? hash : new byte[hash.length];
    }

    @Override
    public PasswordHash decoy() {
      return new Bcrypt(cost, "$2b$%02d$%s".formatted(cost, ".".repeat(ENCODED_LENGTH)), hash);
    }

    @Override
    public String kind() {
      return "bcrypt";
    }

    @Override
    public boolean isFast() {
      return cost < SLOW_COST;
    }
  }

  /**
   * A digest of the password and a salt. It is fast to compute and therefore easy to crack.
   *
   * @param place where the salt is added: prefix, suffix or none
   */
  record Digested(String algorithm, String place, byte[] salt, byte[] hash)
      implements ImportedHash {

    private static Digested parse(String[] parts) {
      PasswordHash.requireParts(parts, 5);
      boolean isSalted = parts[2].equals("prefix") || parts[2].equals("suffix");
      if (!isSalted && !(parts[2].equals("none") && parts[3].isEmpty())) {
        throw new IllegalArgumentException(
            "$" + parts[1] + "$ must be followed by prefix, suffix, or none without a salt");
      }
      byte[] salt = isSalted ? PasswordHash.bytes(parts[3]) : new byte[0];
      return new Digested(parts[1], parts[2], salt, PasswordHash.bytes(parts[4]));
    }

    private MessageDigest digest() {
      String name =
          algorithm.equals("sha")
              ? "SHA-1"
              : algorithm.replace("sha", "SHA-").toUpperCase(Locale.ROOT);
      try {
        return MessageDigest.getInstance(name);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK must provide " + name, e);
      }
    }

    /** The length of the hashes of the algorithm. */
    int digestBytes() {
      return digest().getDigestLength();
    }

    @Override
    public byte[] compute(byte[] password) {
      MessageDigest digest = digest();
      if (place.equals("prefix")) {
        digest.update(salt);
      }
      digest.update(password);
      if (place.equals("suffix")) {
        digest.update(salt);
      }
      return digest.digest();
    }

    @Override
    public PasswordHash decoy() {
      byte[] other = new byte[hash.length];
      Arrays.fill(other, (byte) 1);
      return new Digested(algorithm, place, salt, other);
    }

    @Override
    public String kind() {
      return algorithm;
    }

    @Override
    public boolean isFast() {
      return true;
    }

    @Override
    public String text() {
      return "$%s$%s$%s$%s"
          .formatted(algorithm, place, PasswordHash.base64(salt), PasswordHash.base64(hash));
    }
  }

  /** PBKDF2 with HMAC-SHA-256. */
  record Pbkdf2Sha256(int iterations, byte[] salt, byte[] hash) implements ImportedHash {
    @Override
    public byte[] compute(byte[] password) {
      PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(new SHA256Digest());
      generator.init(password, salt, iterations);
      return ((KeyParameter) generator.generateDerivedMacParameters(hash.length * 8)).getKey();
    }

    @Override
    public PasswordHash decoy() {
      return new Pbkdf2Sha256(iterations, salt, new byte[hash.length]);
    }

    @Override
    public String kind() {
      return "pbkdf2-sha256";
    }

    @Override
    public boolean isFast() {
      return iterations < SLOW_ITERATIONS;
    }

    @Override
    public String text() {
      return "$pbkdf2-sha256$%d$%s$%s"
          .formatted(iterations, PasswordHash.base64(salt), PasswordHash.base64(hash));
    }
  }
}
