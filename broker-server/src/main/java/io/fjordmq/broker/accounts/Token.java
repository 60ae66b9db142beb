package io.fjordmq.broker.accounts;

import io.fjordmq.broker.accounts.CredentialsException.Kind;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * The contents of a token. Its text is Base64 (for URLs, without padding) of
 *
 * <pre>
 * u8 version = 1 | block user | varint issued | varint expires | i64 epoch
 * 32 bytes HMAC-SHA-256 of all preceding bytes
 * </pre>
 *
 * @param issued in cluster time, with milliseconds
 * @param expires in cluster time, with milliseconds
 * @param epoch {@link StoredUser#tokenEpoch} of the user when the token was issued
 */
record Token(String user, Instant issued, Instant expires, long epoch) {
  private static final int VERSION = 1;
  private static final int MAX_LENGTH = 512;

  String sign(TokenKey key) {
    byte[] payload =
        new ByteWriter(96)
            .writeByte(VERSION)
            .writeString(user)
            .writeVarint(issued.toEpochMilli())
            .writeVarint(expires.toEpochMilli())
            .writeLong(epoch)
            .toByteArray();
    byte[] signed = Arrays.copyOf(payload, payload.length + TokenKey.BYTES);
    System.arraycopy(key.sign(payload), 0, signed, payload.length, TokenKey.BYTES);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(signed);
  }

  /**
   * Reads a token and checks its signature, but not whether it has expired.
   *
   * @param key null if the cluster has never issued a token
   * @throws CredentialsException if the key did not sign this text
   */
  static Token verify(String text, @Nullable TokenKey key) {
    if (key == null || text.length() > MAX_LENGTH) {
      throw invalid();
    }
    byte[] signed;
    try {
      signed = Base64.getUrlDecoder().decode(text);
    } catch (IllegalArgumentException e) {
      throw invalid();
    }
    if (signed.length <= TokenKey.BYTES) {
      throw invalid();
    }
    byte[] payload = Arrays.copyOf(signed, signed.length - TokenKey.BYTES);
    byte[] signature = Arrays.copyOfRange(signed, payload.length, signed.length);
    if (!MessageDigest.isEqual(signature, key.sign(payload))) {
      throw invalid();
    }
    try {
      ByteReader in = new ByteReader(payload);
      NewerFormatException.require("a token", VERSION, in.readByte());
      Token token =
          new Token(
              in.readString(),
              Instant.ofEpochMilli(in.readVarint()),
              Instant.ofEpochMilli(in.readVarint()),
              in.readLong());
      in.requireEnd();
      return token;
    } catch (MalformedBytesException e) { // signed by a newer node
      throw invalid();
    }
  }

  static CredentialsException invalid() {
    return new CredentialsException(Kind.TOKEN_INVALID, "the token is not valid; log in again");
  }
}
