package io.fjordmq.broker.bans;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A ban as stored in the metadata under {@code ban/<SHA-256 of kind, tenant and value in hex>}:
 *
 * <pre>
 * u8 version = 1 | u8 kind: 1 client identifier, 2 user name, 3 address, 4 network
 * u8 flags: 1 tenant, 2 until | [block tenant] | block value | block by | block reason
 * varint at | [varint until]      (ms since the epoch)
 * </pre>
 *
 * <p>The key contains a hash because values are longer than keys and have other characters.
 */
final class StoredBan {
  static final String PREFIX = "ban/";
  private static final int VERSION = 1;
  private static final int TENANT = 1;
  private static final int UNTIL = 2;

  private StoredBan() {}

  /**
   * Returns the metadata key of a ban.
   *
   * @param value in canonical notation
   */
  static String key(BanKind kind, String value, @Nullable String tenant) {
    ByteWriter identity =
        new ByteWriter(64).writeByte(code(kind)).writeByte(tenant == null ? 0 : 1);
    identity.writeString(tenant == null ? "" : tenant).writeString(value);
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(identity.toByteArray());
      return PREFIX + HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide SHA-256", e);
    }
  }

  static String key(Ban ban) {
    return key(ban.kind(), ban.value(), ban.tenant());
  }

  private static int code(BanKind kind) {
    return switch (kind) {
      case CLIENTID -> 1;
      case USERNAME -> 2;
      case PEERHOST -> 3;
      case PEERHOST_NET -> 4;
    };
  }

  private static BanKind kind(int code) {
    return switch (code) {
      case 1 -> BanKind.CLIENTID;
      case 2 -> BanKind.USERNAME;
      case 3 -> BanKind.PEERHOST;
      case 4 -> BanKind.PEERHOST_NET;
      default -> throw NewerFormatException.unknownKind("ban", code);
    };
  }

  static byte[] encode(Ban ban) {
    String tenant = ban.tenant();
    Instant until = ban.until();
    ByteWriter out = new ByteWriter(96).writeByte(VERSION).writeByte(code(ban.kind()));
    out.writeByte((tenant == null ? 0 : TENANT) | (until == null ? 0 : UNTIL));
    if (tenant != null) {
      out.writeString(tenant);
    }
    out.writeString(ban.value())
        .writeString(ban.by())
        .writeString(ban.reason())
        .writeVarint(ban.at().toEpochMilli());
    if (until != null) {
      out.writeVarint(until.toEpochMilli());
    }
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a ban, or were written by a newer version
   */
  static Ban decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a ban record", VERSION, in.readByte());
    BanKind kind = kind(in.readByte());
    int flags = in.readByte();
    if (flags > (TENANT | UNTIL)) {
      throw NewerFormatException.unknownKind("flags of a ban", flags);
    }
    @Nullable String tenant = (flags & TENANT) == 0 ? null : in.readString();
    String value = in.readString();
    String by = in.readString();
    String reason = in.readString();
    Instant at = Instant.ofEpochMilli(in.readVarint());
    @Nullable Instant until = (flags & UNTIL) == 0 ? null : Instant.ofEpochMilli(in.readVarint());
    in.requireEnd();
    return new Ban(kind, value, tenant, by, reason, at, until);
  }
}
