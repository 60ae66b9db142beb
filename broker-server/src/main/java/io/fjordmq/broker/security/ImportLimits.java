package io.fjordmq.broker.security;

/**
 * Limits for password hashes that are imported through the API. A password file belongs to the
 * owner of the host, so its hashes may cost whatever {@link PasswordHash} can compute. An imported
 * hash comes from any administrator, also from one of a single tenant, and every login of its user
 * computes it in the heap that all tenants share.
 */
public final class ImportLimits {
  private static final int MAX_MEMORY_KIB = 64 * 1_024;

  /** Memory times passes: ten times that of our own hashes. */
  private static final long MAX_MEMORY_PASSES = 10L * PasswordHash.MEMORY_KIB * PasswordHash.PASSES;

  private static final int MAX_LANES = 4;
  private static final int MAX_ITERATIONS = 1_000_000;
  private static final int MAX_BCRYPT_COST = 12;
  private static final int MAX_BYTES = 64;

  /** Shorter hashes would match other passwords, too. */
  private static final int MIN_HASH_BYTES = 16;

  private ImportLimits() {}

  /**
   * Parses a hash.
   *
   * @throws IllegalArgumentException if the text is not a hash, or is too costly or too short; the
   *     message contains no part of the text except its parameters
   */
  public static PasswordHash parse(String text) {
    PasswordHash hash = PasswordHash.parse(text);
    if (hash instanceof PasswordHash.Sha512 sha512) {
      requireSalt(sha512.salt());
      requireLength(sha512.hash(), 64);
    } else if (hash instanceof PasswordHash.Pbkdf2 pbkdf2) {
      requirePbkdf2(pbkdf2.iterations(), pbkdf2.salt(), pbkdf2.hash());
    } else if (hash instanceof PasswordHash.Argon2id argon2id) {
      requireArgon2id(argon2id);
    } else if (hash instanceof ImportedHash.Pbkdf2Sha256 pbkdf2) {
      requirePbkdf2(pbkdf2.iterations(), pbkdf2.salt(), pbkdf2.hash());
    } else if (hash instanceof ImportedHash.Digested digested) {
      requireSalt(digested.salt());
      requireLength(digested.hash(), digested.digestBytes());
    } else if (hash instanceof ImportedHash.Bcrypt bcrypt) {
      requireAtMost("the cost of bcrypt", bcrypt.cost(), MAX_BCRYPT_COST);
    }
    return hash;
  }

  private static void requireArgon2id(PasswordHash.Argon2id hash) {
    requireAtMost("m", hash.memoryKib(), MAX_MEMORY_KIB);
    requireAtMost("p", hash.lanes(), MAX_LANES);
    requireAtMost("m times t", (long) hash.memoryKib() * hash.passes(), MAX_MEMORY_PASSES);
    requireSalt(hash.salt());
    requireHash(hash.hash());
  }

  private static void requirePbkdf2(int iterations, byte[] salt, byte[] hash) {
    requireAtMost("iterations", iterations, MAX_ITERATIONS);
    requireSalt(salt);
    requireHash(hash);
  }

  private static void requireSalt(byte[] salt) {
    requireAtMost("the number of bytes of the salt", salt.length, MAX_BYTES);
  }

  private static void requireHash(byte[] hash) {
    if (hash.length < MIN_HASH_BYTES || hash.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "the hash must have "
              + MIN_HASH_BYTES
              + " to "
              + MAX_BYTES
              + " bytes, not "
              + hash.length);
    }
  }

  private static void requireLength(byte[] hash, int bytes) {
    if (hash.length != bytes) {
      throw new IllegalArgumentException(
          "the hash must have " + bytes + " bytes, not " + hash.length);
    }
  }

  private static void requireAtMost(String what, long value, long max) {
    if (value > max) {
      throw new IllegalArgumentException(
          what + " must be at most " + max + " in an imported hash, not " + value);
    }
  }
}
