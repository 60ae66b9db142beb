package io.fjordmq.auth.hash;

import io.fjordmq.api.auth.ProviderKey;
import io.fjordmq.api.auth.ProviderSettings;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import org.bouncycastle.crypto.Digest;
import org.bouncycastle.crypto.digests.MD5Digest;
import org.bouncycastle.crypto.digests.SHA1Digest;
import org.bouncycastle.crypto.digests.SHA256Digest;
import org.bouncycastle.crypto.digests.SHA512Digest;
import org.bouncycastle.crypto.generators.OpenBSDBCrypt;
import org.bouncycastle.crypto.generators.PKCS5S2ParametersGenerator;
import org.bouncycastle.crypto.params.KeyParameter;

/**
 * The hash function of the passwords in a database. Hashes are slow by design, so {@link #matches}
 * must not run on an event loop. Immutable.
 *
 * @param kind the function
 * @param salt where the salt is added; ignored by bcrypt and PBKDF2
 * @param iterations of PBKDF2
 * @param digest of PBKDF2: sha, sha256 or sha512
 * @param keyBytes length of the hash of PBKDF2; 0 for the length of the stored hash
 */
public record StoredHash(Kind kind, Salt salt, int iterations, String digest, int keyBytes) {
  /** The keys of a configuration that describe the hash. */
  public static final List<ProviderKey> KEYS =
      List.of(
          ProviderKey.value("passwordHash"),
          ProviderKey.value("saltPosition"),
          ProviderKey.value("pbkdf2Iterations"),
          ProviderKey.value("pbkdf2Digest"),
          ProviderKey.value("pbkdf2KeyBytes"));

  private static final int MAX_BCRYPT_BYTES = 72;

  /** The functions. */
  public enum Kind {
    PLAIN,
    MD5,
    SHA,
    SHA256,
    SHA512,
    BCRYPT,
    PBKDF2
  }

  /** Where the salt is added to the password. */
  public enum Salt {
    PREFIX,
    SUFFIX,
    DISABLE
  }

  /**
   * Reads the description of the hash.
   *
   * @param defaultKind used if {@code passwordHash} is not set
   * @throws IllegalArgumentException if a value is invalid; the message begins with its key
   */
  public static StoredHash of(ProviderSettings settings, Kind defaultKind) {
    String kind =
        settings.isSet("passwordHash")
            ? settings.oneOf(
                "passwordHash", "plain", "md5", "sha", "sha256", "sha512", "bcrypt", "pbkdf2")
            : defaultKind.name();
    return new StoredHash(
        Kind.valueOf(kind.toUpperCase(Locale.ROOT)),
        Salt.valueOf(
            settings.oneOf("saltPosition", "prefix", "suffix", "disable").toUpperCase(Locale.ROOT)),
        settings.number("pbkdf2Iterations", 4_096, 1, 10_000_000),
        settings.oneOf("pbkdf2Digest", "sha256", "sha", "sha512"),
        settings.number("pbkdf2KeyBytes", 0, 0, 1_024));
  }

  /**
   * Refuses the keys for a provider that compares no passwords.
   *
   * @throws IllegalArgumentException if one is set; the message begins with it
   */
  public static void requireUnset(ProviderSettings settings) {
    for (ProviderKey key : KEYS) {
      if (settings.isSet(key.name())) {
        throw new IllegalArgumentException(
            settings.path() + "." + key.name() + " does not apply to authorization; remove it");
      }
    }
  }

  /**
   * Whether the stored hash is the one of the password. The comparison takes constant time. No
   * password matches an empty text.
   *
   * @param stored the hash in hexadecimal digits, or in the format of bcrypt
   * @param saltText the salt as stored; empty if there is none
   */
  public boolean matches(byte[] password, String stored, String saltText) {
    byte[] added = salt == Salt.DISABLE ? new byte[0] : saltText.getBytes(StandardCharsets.UTF_8);
    return switch (kind) {
      case PLAIN ->
          !stored.isEmpty()
              && MessageDigest.isEqual(password, stored.getBytes(StandardCharsets.UTF_8));
      case MD5 -> isDigest("MD5", password, added, stored);
      case SHA -> isDigest("SHA-1", password, added, stored);
      case SHA256 -> isDigest("SHA-256", password, added, stored);
      case SHA512 -> isDigest("SHA-512", password, added, stored);
      case BCRYPT -> isBcrypt(password, stored);
      case PBKDF2 -> isPbkdf2(password, stored, saltText);
    };
  }

  private boolean isDigest(String algorithm, byte[] password, byte[] added, String stored) {
    try {
      MessageDigest digest = MessageDigest.getInstance(algorithm);
      if (salt == Salt.PREFIX) {
        digest.update(added);
      }
      digest.update(password);
      if (salt == Salt.SUFFIX) {
        digest.update(added);
      }
      return MessageDigest.isEqual(digest.digest(), decoded(stored));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide " + algorithm, e);
    }
  }

  private static boolean isBcrypt(byte[] password, String stored) {
    if (password.length > MAX_BCRYPT_BYTES) {
      return false; // bcrypt ignores what follows, so another password would match, too
    }
    for (byte one : password) {
      if (one == 0) {
        return false; // bcrypt ends there
      }
    }
    try {
      // EMQX writes the version 2b, PHP 2y; both are the same function as 2a.
      return OpenBSDBCrypt.checkPassword(stored, password);
    } catch (RuntimeException e) {
      return false; // the stored text is not a bcrypt hash
    }
  }

  private boolean isPbkdf2(byte[] password, String stored, String saltText) {
    byte[] expected = decoded(stored);
    int length = keyBytes == 0 ? expected.length : keyBytes;
    if (length == 0 || expected.length != length || length > 1_024) {
      return false;
    }
    PKCS5S2ParametersGenerator generator = new PKCS5S2ParametersGenerator(digestOf(digest));
    generator.init(password, saltText.getBytes(StandardCharsets.UTF_8), iterations);
    KeyParameter key = (KeyParameter) generator.generateDerivedMacParameters(length * 8);
    return MessageDigest.isEqual(key.getKey(), expected);
  }

  private static Digest digestOf(String name) {
    return switch (name) {
      case "md5" -> new MD5Digest();
      case "sha" -> new SHA1Digest();
      case "sha512" -> new SHA512Digest();
      default -> new SHA256Digest();
    };
  }

  /** Decodes hexadecimal digits or Base64; empty if the text is neither. */
  private static byte[] decoded(String stored) {
    String text = stored.strip();
    try {
      return HexFormat.of().parseHex(text.toLowerCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      try {
        return Base64.getDecoder().decode(text);
      } catch (IllegalArgumentException notBase64) {
        return new byte[0];
      }
    }
  }
}
