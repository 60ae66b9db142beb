package io.fjordmq.cluster.metadata;

import io.fjordmq.common.NewerFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The identity of the cluster, stored under the key {@code cluster}. It is the first record of a
 * cluster and never changes.
 *
 * <pre>
 * u8 format = 2 | i64 created | u8 length, id (ASCII) | env (UTF-8, to the end)
 * u8 format = 1 | i64 created | id (ASCII, to the end)                              without env
 * </pre>
 *
 * @param id the cluster id, as in the data directory of every member
 * @param createdMillis wall clock of the first node when it created the cluster, ms since the epoch
 * @param env the name of the cluster, from the configuration of its first node; empty if the
 *     version that created the cluster had no names
 */
public record ClusterRecord(String id, long createdMillis, String env) {
  public static final String KEY = "cluster";
  private static final byte FORMAT = 2;
  private static final byte FORMAT_WITHOUT_ENV = 1;

  /** Reads the record; null before the first write of a new cluster. */
  public static @Nullable ClusterRecord of(MetadataView view) {
    MetadataRecord record = view.get(KEY);
    return record == null ? null : decode(record.value());
  }

  public byte[] encode() {
    byte[] ascii = id.getBytes(StandardCharsets.US_ASCII);
    byte[] name = env.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + 1 + ascii.length + name.length);
    out.put(FORMAT).putLong(createdMillis).put((byte) ascii.length).put(ascii);
    return out.put(name).array();
  }

  private static ClusterRecord decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    byte format = in.get();
    if (format != FORMAT_WITHOUT_ENV) {
      NewerFormatException.require("the cluster record", FORMAT, format);
    }
    long createdMillis = in.getLong();
    byte[] ascii = new byte[format == FORMAT ? in.get() & 0xff : in.remaining()];
    in.get(ascii);
    byte[] name = new byte[in.remaining()];
    in.get(name);
    return new ClusterRecord(
        new String(ascii, StandardCharsets.US_ASCII),
        createdMillis,
        new String(name, StandardCharsets.UTF_8));
  }
}
