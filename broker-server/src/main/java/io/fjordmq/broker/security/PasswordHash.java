package io.fjordmq.broker.security;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * A password hash in the format of a password file. Immutable. Computing a hash is slow by design
 * and must never be done on an event loop.
 *
 * <pre>
 *   $6$salt$hash                                SHA-512 of password and salt (mosquitto 1.6)
 *   $7$iterations$salt$hash                     PBKDF2 with HMAC-SHA-512 (mosquitto 2.0)
 *   $argon2id$v=19$m=19456,t=2,p=1$salt$hash    Argon2id, version 1.3 (mosquitto 2.1 and FjordMQ)
 * </pre>
 *
 * <p>Salt and hash are Base64, without padding for Argon2id. {@link ImportedHash} has the formats
 * of other systems.
 */
@SuppressWarnings("ArrayRecordComponent") // only compared by matches()
public sealed interface PasswordHash
    permits PasswordHash.Sha512, PasswordHash.Pbkdf2, PasswordHash.Argon2id, ImportedHash {
  /** The memory for new Argon2id hashes: OWASP's second recommendation, 19 MiB with two passes. */
  int MEMORY_KIB = 19_456;

  int PASSES = 2;

  int MAX_MEMORY_KIB = 1 << 20;
  int MAX_PASSES = 1_000;
  int MAX_LANES = 64;
  int MAX_ITERATIONS = 10_000_000;
  int MAX_BYTES = 1_024;

  /** With as many iterations, PBKDF2 takes about as long as a new hash. */
  int SLOW_ITERATIONS = 100_000;

  /** Whether this is the hash of the password. The comparison takes constant time. */
  default boolean matches(byte[] password) {
    return MessageDigest.isEqual(hash(), compute(password));
  }

  byte[] hash();

  byte[] compute(byte[] password);

  /** Returns a hash with the same format and cost that no password matches. */
  PasswordHash decoy();

  /** The hash as written in the file. */
  String text();

  /** The kind of hash, for operators, such as {@code argon2id}. */
  String kind();

  /** Whether it protects the password at least as well as a new hash. */
  default boolean isCurrent() {
    return false;
  }

  /** Whether computing it takes clearly less time than computing a new hash. */
  boolean isFast();

  /** Creates a hash for a new entry. */
  static PasswordHash of(byte[] password, SecureRandom random) {
    byte[] salt = random(random, 16);
    Argon2id template = new Argon2id(MEMORY_KIB, PASSES, 1, salt, new byte[32]);
    return new Argon2id(MEMORY_KIB, PASSES, 1, salt, template.compute(password));
  }

  /** Creates a hash with the format and cost of new entries that no password matches. */
  static PasswordHash decoy(SecureRandom random) {
    return new Argon2id(MEMORY_KIB, PASSES, 1, random(random, 16), new byte[32]);
  }

  /**
   * Parses a hash.
   *
   * @throws IllegalArgumentException if the text is not a valid hash; the message states the reason
   *     and repeats nothing but numbers, because the text can be a password
   */
  static PasswordHash parse(String text) {
    String[] parts = text.split("\\$", -1);
    if (parts.length < 2 || !parts[0].isEmpty()) {
      throw new IllegalArgumentException(
          "the password is not hashed; run bin/passwd.sh -U to hash all passwords in the file");
    }
    return switch (parts[1]) {
      case "6" -> {
        requireParts(parts, 4);
        yield new Sha512(bytes(parts[2]), bytes(parts[3]));
      }
      case "7" -> {
        requireParts(parts, 5);
        int iterations = number(parts[2], 1, MAX_ITERATIONS, "iterations");
        yield new Pbkdf2(iterations, bytes(parts[3]), bytes(parts[4]));
      }
      case "argon2id" -> {
        requireParts(parts, 6);
        yield Argon2id.parse(parts);
      }
      default -> ImportedHash.parse(text, parts);
    };
  }

  static void requireParts(String[] parts, int count) {
    if (parts.length != count) {
      throw new IllegalArgumentException("$" + parts[1] + "$ has the wrong number of fields");
    }
  }

  @SuppressWarnings("UnusedException") // its message repeats a character of the text
  static byte[] bytes(String base64) {
    byte[] bytes;
    try {
      bytes = Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the salt or the hash is not Base64");
    }
    if (bytes.length == 0 || bytes.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "invalid length of salt or hash: " + bytes.length + " bytes");
    }
    return bytes;
  }

  @SuppressWarnings("UnusedException") // its message repeats the text
  static int number(String text, int min, int max, String what) {
    int number;
    try {
      number = Integer.parseInt(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(what + " must be a number");
    }
    if (number < min || number > max) {
      throw new IllegalArgumentException(
          what + " must be between " + min + " and " + max + ", not " + number);
    }
    return number;
  }

  private static byte[] random(SecureRandom random, int count) {
    byte[] bytes = new byte[count];
    random.nextBytes(bytes);
    return bytes;
  }

  static String base64(byte[] bytes) {
    return Base64.getEncoder().encodeToString(bytes);
  }

  /**
   * A {@code $6$} hash. It is fast to compute and therefore easy to crack, so it is only supported
   * in existing files and never created.
   */
  record Sha512(byte[] salt, byte[] hash) implements PasswordHash {
    @Override
    public byte[] compute(byte[] password) {
      try {
        MessageDigest digest = MessageDigest.getInstance("SHA-512");
        digest.update(password);
        digest.update(salt);
        return digest.digest();
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException("every JDK must provide SHA-512", e);
      }
    }

    @Override
    public PasswordHash decoy() {
      return new Sha512(salt, new byte[hash.length]);
    }

    @Override
    public String kind() {
      return "sha512";
    }

    @Override
    public boolean isFast() {
      return true;
    }

    @Override
    public String text() {
      return "$6$" + base64(salt) + "$" + base64(hash);
    }
  }

  /** A {@code $7$} hash. */
  record Pbkdf2(int iterations, byte[] salt, byte[] hash) implements PasswordHash {
    @Override
    public byte[] compute(byte[] password) {
      PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(new SHA512Digest());
      generator.init(password, salt, iterations);
      return ((KeyParameter) generator.generateDerivedMacParameters(hash.length * 8)).getKey();
    }

    @Override
    public PasswordHash decoy() {
      return new Pbkdf2(iterations, salt, new byte[hash.length]);
    }

    @Override
    public String kind() {
      return "pbkdf2-sha512";
    }

    @Override
    public boolean isFast() {
      return iterations < SLOW_ITERATIONS;
    }

    @Override
    public String text() {
      return "$7$" + iterations + "$" + base64(salt) + "$" + base64(hash);
    }
  }

  /** An {@code $argon2id$} hash in the PHC string format. */
  record Argon2id(int memoryKib, int passes, int lanes, byte[] salt, byte[] hash)
      implements PasswordHash {

    private static PasswordHash parse(String[] parts) {
      if (!parts[2].equals("v=19")) {
        throw new IllegalArgumentException(
            "unsupported version of argon2id; only v=19 is supported");
      }
      String[] costs = parts[3].split(",", -1);
      if (costs.length != 3
          || !costs[0].startsWith("m=")
          || !costs[1].startsWith("t=")
          || !costs[2].startsWith("p=")) {
        throw new IllegalArgumentException("the parameters of argon2id must be m=…,t=…,p=…");
      }
      int lanes = number(costs[2].substring(2), 1, MAX_LANES, "p");
      return new Argon2id(
          number(costs[0].substring(2), 8 * lanes, MAX_MEMORY_KIB, "m"),
          number(costs[1].substring(2), 1, MAX_PASSES, "t"),
          lanes,
          bytes(parts[4]),
          bytes(parts[5]));
    }

    @Override
    public byte[] compute(byte[] password) {
      Argon2BytesGenerator generator = new Argon2BytesGenerator();
      generator.init(
          new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id)
              .withVersion(Argon2Parameters.ARGON2_VERSION_13)
              .withMemoryAsKB(memoryKib)
              .withIterations(passes)
              .withParallelism(lanes)
              .withSalt(salt)
              .build());
      byte[] computed = new byte[hash.length];
      generator.generateBytes(password, computed);
      return computed;
    }

    @Override
    public PasswordHash decoy() {
      return new Argon2id(memoryKib, passes, lanes, salt, new byte[hash.length]);
    }

    @Override
    public String kind() {
      return "argon2id";
    }

    @Override
    public boolean isFast() {
      return (long) memoryKib * passes < (long) MEMORY_KIB * PASSES;
    }

    @Override
    public boolean isCurrent() {
      return memoryKib >= MEMORY_KIB && passes >= PASSES;
    }

    @Override
    public String text() {
      Base64.Encoder unpadded = Base64.getEncoder().withoutPadding();
      return "$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s"
          .formatted(
              memoryKib,
              passes,
              lanes,
              unpadded.encodeToString(salt),
              unpadded.encodeToString(hash));
    }
  }
}
