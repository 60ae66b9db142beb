package io.fjordmq.cluster.metadata;

import io.fjordmq.api.NewerFormException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster is, under {@code cluster}; the first record ever written, and never changed.
 *
 * <pre>
 * u8 form = 2 | i64 created | u8 length, id (ASCII) | env (UTF-8, to the end)
 * u8 form = 1 | i64 created | id (ASCII, to the end)                              of no env
 * </pre>
 *
 * @param id as in every member's data directory
 * @param createdMillis wall clock of the first node when it made the cluster, ms since the epoch
 * @param env what people call it: that of the node that made it; empty if it was made before there
 *     were names
 */
public record ClusterRecord(String id, long createdMillis, String env) {
  public static final String KEY = "cluster";
  private static final byte FORM = 2;
  private static final byte FORM_WITHOUT_ENV = 1;

  /** Null before the first write of a new cluster. */
  public static @Nullable ClusterRecord of(MetadataView view) {
    MetadataRecord record = view.get(KEY);
    return record == null ? null : decode(record.value());
  }

  public byte[] encode() {
    byte[] ascii = id.getBytes(StandardCharsets.US_ASCII);
    byte[] name = env.getBytes(StandardCharsets.UTF_8);
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + 1 + ascii.length + name.length);
    out.put(FORM).putLong(createdMillis).put((byte) ascii.length).put(ascii);
    return out.put(name).array();
  }

  private static ClusterRecord decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    byte form = in.get();
    if (form != FORM_WITHOUT_ENV) {
      NewerFormException.require("the cluster's record", FORM, form);
    }
    long createdMillis = in.getLong();
    byte[] ascii = new byte[form == FORM ? in.get() & 0xff : in.remaining()];
    in.get(ascii);
    byte[] name = new byte[in.remaining()];
    in.get(name);
    return new ClusterRecord(
        new String(ascii, StandardCharsets.US_ASCII),
        createdMillis,
        new String(name, StandardCharsets.UTF_8));
  }
}
