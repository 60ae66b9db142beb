package io.fjordmq.broker.accounts;

import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;

/**
 * A user as stored in the metadata under {@code user/<name in hex>}:
 *
 * <pre>
 * u8 version = 1 | block name | {@link RoleCode role and tenant} | block description
 * varint created (ms since the epoch) | block password hash | i64 token epoch
 * </pre>
 *
 * @param tokenEpoch random; tokens contain it, and a new value makes them invalid
 */
record StoredUser(User user, PasswordHash password, long tokenEpoch) {
  static final String PREFIX = "user/";
  private static final int VERSION = 1;

  static String key(String name) {
    return AccountRules.key(PREFIX, name);
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeString(user.name());
    new RoleCode(user.role(), user.tenant()).write(out);
    return out.writeString(user.description())
        .writeVarint(user.createdAt().toEpochMilli())
        .writeString(password.text())
        .writeLong(tokenEpoch)
        .toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a user, or were written by a newer version
   */
  static StoredUser decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a user record", VERSION, in.readByte());
    String name = in.readString();
    RoleCode role = RoleCode.read(in);
    User user =
        new User(
            name,
            role.role(),
            role.tenant(),
            in.readString(),
            Instant.ofEpochMilli(in.readVarint()));
    PasswordHash password;
    try {
      password = PasswordHash.parse(in.readString());
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("a user record has an invalid password hash");
    }
    StoredUser stored = new StoredUser(user, password, in.readLong());
    in.requireEnd();
    return stored;
  }

  @Override
  public String toString() {
    return user.toString(); // without the hash
  }
}
