package io.fjordmq.auth.hash;

import io.fjordmq.api.auth.ProviderSettings;

/**
 * The hash function of the configuration. Without configuration, a stored bcrypt hash is
 * recognized, because it names its function.
 *
 * @param hash the configured function, or the default
 * @param configured whether {@code passwordHash} is set
 */
public record ConfiguredHash(StoredHash hash, boolean configured) {

  /**
   * Reads the description of the hash.
   *
   * @param defaultKind used if {@code passwordHash} is not set
   * @throws IllegalArgumentException if a value is invalid; the message begins with its key
   */
  public static ConfiguredHash of(ProviderSettings settings, StoredHash.Kind defaultKind) {
    return new ConfiguredHash(StoredHash.of(settings, defaultKind), settings.isSet("passwordHash"));
  }

  /**
   * Whether the stored hash is the one of the password; see {@link StoredHash#matches}. Slow by
   * design.
   */
  public boolean matches(byte[] password, String stored, String salt) {
    StoredHash used = hash;
    if (!configured && stored.startsWith("$2")) {
      used =
          new StoredHash(StoredHash.Kind.BCRYPT, hash.salt(), hash.iterations(), hash.digest(), 0);
    }
    return used.matches(password, stored, salt);
  }
}
