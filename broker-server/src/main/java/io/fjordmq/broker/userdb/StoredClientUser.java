package io.fjordmq.broker.userdb;

import io.fjordmq.broker.security.DatabaseUser;
import io.fjordmq.broker.security.PasswordHash;
import io.fjordmq.broker.security.ScramMechanism;
import io.fjordmq.broker.security.ScramVerifier;
import io.fjordmq.broker.security.UserCredentials;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A user as stored in the metadata under {@code mqtt-user/<name in hex>}:
 *
 * <pre>
 * u8 version = 1 | block name | block tenant | u8 flags: 1 enabled, 2 superuser, 4 password hash
 * [block password hash]
 * varint count, for each SCRAM verifier: u8 mechanism: 1 SHA-256, 2 SHA-512 | varint iterations
 *     | block salt | block stored key | block server key
 * varint count, for each group: block name
 * varint count, for each attribute: block name | block value, in the order of the names
 * varint created (ms since the epoch) | i64 epoch
 * </pre>
 */
record StoredClientUser(ClientUser user, UserCredentials credentials, long epoch) {
  static final String PREFIX = "mqtt-user/";
  private static final int VERSION = 1;
  private static final int ENABLED = 1;
  private static final int SUPERUSER = 2;
  private static final int PASSWORD = 4;

  /** Returns the key of a user, which sorts users by the bytes of their names. */
  static String key(String name) {
    return PREFIX + HexNames.encode(name);
  }

  /** Returns the name of a user from its key. */
  static String name(String key) {
    return HexNames.decode(key.substring(PREFIX.length()));
  }

  /** The user for logins. */
  DatabaseUser known() {
    return new DatabaseUser(
        user.name(),
        user.tenant(),
        user.enabled(),
        user.superuser(),
        user.attributes(),
        credentials,
        epoch);
  }

  StoredClientUser withCredentials(UserCredentials next) {
    return new StoredClientUser(user, next, epoch);
  }

  byte[] encode() {
    PasswordHash password = credentials.password();
    ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeString(user.name());
    out.writeString(user.tenant())
        .writeByte(
            (user.enabled() ? ENABLED : 0)
                | (user.superuser() ? SUPERUSER : 0)
                | (password == null ? 0 : PASSWORD));
    if (password != null) {
      out.writeString(password.text());
    }
    out.writeVarint(credentials.scram().size());
    for (ScramVerifier verifier : credentials.scram()) {
      out.writeByte(code(verifier.mechanism()))
          .writeVarint(verifier.iterations())
          .writeBlock(verifier.salt())
          .writeBlock(verifier.storedKey())
          .writeBlock(verifier.serverKey());
    }
    out.writeVarint(user.groups().size());
    user.groups().forEach(out::writeString);
    out.writeVarint(user.attributes().size());
    new TreeMap<>(user.attributes())
        .forEach((name, value) -> out.writeString(name).writeString(value));
    return out.writeVarint(user.createdAt().toEpochMilli()).writeLong(epoch).toByteArray();
  }

  private static int code(ScramMechanism mechanism) {
    return switch (mechanism) {
      case SHA_256 -> 1;
      case SHA_512 -> 2;
    };
  }

  private static ScramMechanism mechanism(int code) {
    return switch (code) {
      case 1 -> ScramMechanism.SHA_256;
      case 2 -> ScramMechanism.SHA_512;
      default -> throw NewerFormatException.unknownKind("SCRAM mechanism", code);
    };
  }

  /**
   * @throws MalformedBytesException if the bytes are not a user, or were written by a newer version
   */
  static StoredClientUser decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a record of an MQTT user", VERSION, in.readByte());
    String name = in.readString();
    String tenant = in.readString();
    int flags = in.readByte();
    if (flags > (ENABLED | SUPERUSER | PASSWORD)) {
      throw NewerFormatException.unknownKind("flags of an MQTT user", flags);
    }
    try {
      PasswordHash password = (flags & PASSWORD) == 0 ? null : PasswordHash.parse(in.readString());
      UserCredentials credentials = new UserCredentials(password, verifiers(in));
      List<String> groups = new ArrayList<>();
      for (int left = in.readCount(1); left > 0; left--) {
        groups.add(in.readString());
      }
      Map<String, String> attributes = new LinkedHashMap<>();
      for (int left = in.readCount(2); left > 0; left--) {
        attributes.put(in.readString(), in.readString());
      }
      ClientUser user =
          new ClientUser(
              name,
              tenant,
              (flags & ENABLED) != 0,
              (flags & SUPERUSER) != 0,
              groups,
              attributes,
              Instant.ofEpochMilli(in.readVarint()));
      StoredClientUser stored = new StoredClientUser(user, credentials, in.readLong());
      in.requireEnd();
      return stored;
    } catch (IllegalArgumentException e) {
      throw new MalformedBytesException("a record of an MQTT user has invalid credentials");
    }
  }

  private static List<ScramVerifier> verifiers(ByteReader in) {
    List<ScramVerifier> verifiers = new ArrayList<>();
    for (int left = in.readCount(1); left > 0; left--) {
      verifiers.add(
          new ScramVerifier(
              mechanism(in.readByte()),
              (int) Math.min(Integer.MAX_VALUE, in.readVarint()),
              in.readBlock(),
              in.readBlock(),
              in.readBlock()));
    }
    return verifiers;
  }

  @Override
  public String toString() {
    return user.toString(); // without the hash
  }
}
