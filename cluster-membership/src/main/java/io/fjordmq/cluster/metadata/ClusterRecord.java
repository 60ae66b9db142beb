package io.fjordmq.cluster.metadata;

import io.fjordmq.api.NewerFormException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What the cluster is, under {@code cluster}; the first record ever written, and never changed.
 *
 * <pre>
 * u8 form = 1 | i64 created | id (ASCII, to the end)
 * </pre>
 *
 * @param id as in every member's data directory
 * @param createdMillis wall clock of the first node when it made the cluster, ms since the epoch
 */
public record ClusterRecord(String id, long createdMillis) {
  public static final String KEY = "cluster";
  private static final byte FORM = 1;

  /** Null before the first write of a new cluster. */
  public static @Nullable ClusterRecord of(MetadataView view) {
    MetadataRecord record = view.get(KEY);
    return record == null ? null : decode(record.value());
  }

  public byte[] encode() {
    byte[] ascii = id.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer out = ByteBuffer.allocate(1 + 8 + ascii.length);
    return out.put(FORM).putLong(createdMillis).put(ascii).array();
  }

  private static ClusterRecord decode(byte[] value) {
    ByteBuffer in = ByteBuffer.wrap(value);
    NewerFormException.require("the cluster's record", FORM, in.get());
    long createdMillis = in.getLong();
    byte[] ascii = new byte[in.remaining()];
    in.get(ascii);
    return new ClusterRecord(new String(ascii, StandardCharsets.US_ASCII), createdMillis);
  }
}
