package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.hash.ConfiguredHash;
import io.fjordmq.auth.hash.StoredHash;

/**
 * The hash functions of the two password fields. Without configuration, the defaults of EMQX apply:
 * {@code password} (EMQX 4) contains the password, {@code password_hash} (EMQX 5) its SHA-256 hash
 * with the salt in front.
 */
record PasswordFieldHash(StoredHash password, ConfiguredHash passwordHash) {

  static PasswordFieldHash of(ProviderSettings settings) {
    return new PasswordFieldHash(
        StoredHash.of(settings, StoredHash.Kind.PLAIN),
        ConfiguredHash.of(settings, StoredHash.Kind.SHA256));
  }

  boolean matches(byte[] given, String field, String stored, String salt) {
    return field.equals("password")
        ? password.matches(given, stored, salt)
        : passwordHash.matches(given, stored, salt);
  }
}
