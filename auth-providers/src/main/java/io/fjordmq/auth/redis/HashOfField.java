package io.fjordmq.auth.redis;

import io.fjordmq.api.auth.ProviderSettings;
import io.fjordmq.auth.hash.ConfiguredHash;
import io.fjordmq.auth.hash.StoredHash;

/**
 * How the values of the two fields for passwords are hashed. Without configuration, the defaults of
 * EMQX apply: {@code password} (EMQX 4) contains the password, {@code password_hash} (EMQX 5) its
 * SHA-256 hash with the salt in front.
 */
record HashOfField(StoredHash password, ConfiguredHash passwordHash) {

  static HashOfField of(ProviderSettings settings) {
    return new HashOfField(
        StoredHash.of(settings, StoredHash.Kind.PLAIN),
        ConfiguredHash.of(settings, StoredHash.Kind.SHA256));
  }

  boolean matches(byte[] given, String field, String stored, String salt) {
    return field.equals("password")
        ? password.matches(given, stored, salt)
        : passwordHash.matches(given, stored, salt);
  }
}
