package io.fjordmq.broker.accounts;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An API key as stored in the metadata under {@code api-key/<name in hex>}:
 *
 * <pre>
 * u8 version = 1 | block name | block id | 32 bytes SHA-256 of the secret
 * {@link RoleCode role and tenant} | block description
 * u8 flags: 1 enabled, 2 expires | varint created | [varint expires]      (ms since the epoch)
 * </pre>
 *
 * <p>SHA-256 is sufficient because the secret is a random number of 256 bits, which cannot be
 * guessed.
 */
@SuppressWarnings("ArrayRecordComponent") // compared only by matches()
record StoredApiKey(ApiKey key, byte[] secretHash) {
  static final String PREFIX = "api-key/";
  private static final int VERSION = 1;
  private static final int HASH_BYTES = 32;
  private static final int ENABLED = 1;
  private static final int EXPIRES = 2;

  static String key(String name) {
    return AccountRules.key(PREFIX, name);
  }

  static StoredApiKey of(ApiKey key, String secret) {
    return new StoredApiKey(key, hash(secret));
  }

  /** Whether this is the secret; takes constant time. */
  boolean matches(String secret) {
    return MessageDigest.isEqual(secretHash, hash(secret));
  }

  private static byte[] hash(String secret) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide SHA-256", e);
    }
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(192).writeByte(VERSION).writeString(key.name());
    out.writeString(key.id()).writeBytes(secretHash);
    new RoleCode(key.role(), key.tenant()).write(out);
    Instant expiresAt = key.expiresAt();
    out.writeString(key.description())
        .writeByte((key.enabled() ? ENABLED : 0) | (expiresAt == null ? 0 : EXPIRES))
        .writeVarint(key.createdAt().toEpochMilli());
    if (expiresAt != null) {
      out.writeVarint(expiresAt.toEpochMilli());
    }
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not an API key, or were written by a newer
   *     version
   */
  static StoredApiKey decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("an API key record", VERSION, in.readByte());
    String name = in.readString();
    String id = in.readString();
    byte[] secretHash = in.readBytes(HASH_BYTES);
    RoleCode role = RoleCode.read(in);
    String description = in.readString();
    int flags = in.readByte();
    if (flags > (ENABLED | EXPIRES)) {
      throw NewerFormatException.unknownKind("flags of an API key", flags);
    }
    Instant createdAt = Instant.ofEpochMilli(in.readVarint());
    @Nullable Instant expiresAt =
        (flags & EXPIRES) == 0 ? null : Instant.ofEpochMilli(in.readVarint());
    in.requireEnd();
    return new StoredApiKey(
        new ApiKey(
            name,
            id,
            role.role(),
            role.tenant(),
            description,
            (flags & ENABLED) != 0,
            expiresAt,
            createdAt),
        secretHash);
  }

  @Override
  public String toString() {
    return key.toString(); // without the hash
  }
}
