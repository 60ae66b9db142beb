package io.fjordmq.broker.trace;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * A trace as stored in the metadata under {@code trace/<name>} or, if it is of one tenant, {@code
 * trace/<hash of the tenant>/<name>}:
 *
 * <pre>
 * u8 version = 1 | u8 type: 1 client identifier, 2 topic filter, 3 address or network
 * u8 payload: 1 hidden, 2 text, 3 hex | u8 flags: 1 tenant, 2 written as JSON
 * block name | block value | [block tenant] | block by
 * varint created at | varint start at | varint end at      (ms since the epoch)
 * </pre>
 *
 * <p>The hash consists of the first 16 bytes of SHA-256 in hexadecimal, because tenants can contain
 * characters that keys cannot.
 */
final class StoredTrace {
  static final String PREFIX = "trace/";
  private static final int VERSION = 1;
  private static final int TENANT = 1;
  private static final int JSON = 2;
  private static final int HASH_BYTES = 16;

  private StoredTrace() {}

  /** Returns the metadata key of a trace. */
  static String key(@Nullable String tenant, String name) {
    return PREFIX + (tenant == null ? "" : hash(tenant) + "/") + name;
  }

  /** Returns a text that stands for a tenant in keys and names of files. */
  static String hash(String tenant) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(tenant.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, HASH_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK must provide SHA-256", e);
    }
  }

  static byte[] encode(Trace trace) {
    String tenant = trace.tenant();
    ByteWriter out =
        new ByteWriter(96)
            .writeByte(VERSION)
            .writeByte(trace.type().ordinal() + 1)
            .writeByte(trace.payload().ordinal() + 1)
            .writeByte(
                (tenant == null ? 0 : TENANT) + (trace.format() == TraceFormat.JSON ? JSON : 0))
            .writeString(trace.name())
            .writeString(trace.value());
    if (tenant != null) {
      out.writeString(tenant);
    }
    return out.writeString(trace.by())
        .writeVarint(trace.createdAt().toEpochMilli())
        .writeVarint(trace.startAt().toEpochMilli())
        .writeVarint(trace.endAt().toEpochMilli())
        .toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a trace, or were written by a newer
   *     version
   */
  static Trace decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("a trace record", VERSION, in.readByte());
    TraceType type = constant(TraceType.values(), "trace", in.readByte());
    PayloadEncoding payload =
        constant(PayloadEncoding.values(), "payload encoding of a trace", in.readByte());
    int flags = in.readByte();
    if (flags > TENANT + JSON) {
      throw NewerFormatException.unknownKind("flags of a trace", flags);
    }
    String name = in.readString();
    String value = in.readString();
    @Nullable String tenant = (flags & TENANT) == 0 ? null : in.readString();
    String by = in.readString();
    Instant createdAt = Instant.ofEpochMilli(in.readVarint());
    Instant startAt = Instant.ofEpochMilli(in.readVarint());
    Instant endAt = Instant.ofEpochMilli(in.readVarint());
    in.requireEnd();
    TraceFormat format = (flags & JSON) == 0 ? TraceFormat.TEXT : TraceFormat.JSON;
    return new Trace(name, type, value, tenant, payload, by, createdAt, startAt, endAt, format);
  }

  private static <E> E constant(E[] all, String what, int code) {
    if (code < 1 || code > all.length) {
      throw NewerFormatException.unknownKind(what, code);
    }
    return all[code - 1];
  }
}
