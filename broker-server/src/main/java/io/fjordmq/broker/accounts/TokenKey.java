package io.fjordmq.broker.accounts;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key of the cluster that signs tokens. The first login creates it, under {@code token-key} in
 * the metadata:
 *
 * <pre>
 * u8 version = 1 | 32 bytes key
 * </pre>
 */
final class TokenKey {
  static final String KEY = "token-key";
  private static final int VERSION = 1;
  private static final String HMAC = "HmacSHA256";

  /** The length of a key and of a signature. */
  static final int BYTES = 32;

  private final byte[] bytes;

  private TokenKey(byte[] bytes) {
    this.bytes = bytes;
  }

  static TokenKey create(SecureRandom random) {
    byte[] bytes = new byte[BYTES];
    random.nextBytes(bytes);
    return new TokenKey(bytes);
  }

  byte[] encode() {
    return new ByteWriter(1 + BYTES).writeByte(VERSION).writeBytes(bytes).toByteArray();
  }

  /**
   * @throws io.fjordmq.common.MalformedBytesException if the bytes are not a key, or were written
   *     by a newer version
   */
  static TokenKey decode(byte[] record) {
    ByteReader in = new ByteReader(record);
    NewerFormatException.require("the token key", VERSION, in.readByte());
    TokenKey key = new TokenKey(in.readBytes(BYTES));
    in.requireEnd();
    return key;
  }

  byte[] sign(byte[] payload) {
    try {
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(bytes, HMAC));
      return mac.doFinal(payload);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK must provide " + HMAC, e);
    }
  }
}
