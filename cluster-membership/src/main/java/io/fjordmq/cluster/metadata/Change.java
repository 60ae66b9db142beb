package io.fjordmq.cluster.metadata;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One write in a batch.
 *
 * @param key 1 to 255 of {@code a-z A-Z 0-9 . _ / -}
 * @param value the new value; null removes the record. The caller must not modify it afterwards
 * @param expectedVersion the version that the record must have; {@link #ABSENT} if it must not
 *     exist, {@link #ANY} for an unconditional write
 */
@SuppressWarnings("ArrayRecordComponent") // equals, hashCode and toString are written out below
public record Change(String key, byte @Nullable [] value, long expectedVersion) {
  /** The record must not exist. */
  public static final long ABSENT = 0;

  /** The record may have any version or may not exist. */
  public static final long ANY = -1;

  private static final Pattern KEY = Pattern.compile("[a-zA-Z0-9._/-]{1,255}");

  /**
   * @throws IllegalArgumentException if the key contains other characters or has another length
   */
  public Change {
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "metadata key must be 1 to 255 letters, digits, '.', '_', '/' or '-', not '" + key + "'");
    }
    if (expectedVersion < ANY) {
      throw new IllegalArgumentException(
          "expectedVersion must be a version, ABSENT (0) or ANY (-1), not " + expectedVersion);
    }
  }

  /** Encodes a batch in the format of log entries, to send it to another node. */
  public static byte[] encode(List<Change> batch) {
    return MetadataCodec.encodeBatch(batch);
  }

  /**
   * Decodes the result of {@link #encode}.
   *
   * @throws IllegalArgumentException if the bytes have another format
   * @throws java.nio.BufferUnderflowException if the bytes are truncated
   */
  public static List<Change> decode(byte[] batch) {
    return MetadataCodec.decodeBatch(ByteBuffer.wrap(batch));
  }

  /** Writes unconditionally. */
  public static Change put(String key, byte[] value) {
    return new Change(key, value, ANY);
  }

  /** Writes the record if it is still at this version. */
  public static Change put(String key, byte[] value, long expectedVersion) {
    return new Change(key, value, expectedVersion);
  }

  /** Removes the record if it is still at this version. */
  public static Change remove(String key, long expectedVersion) {
    return new Change(key, null, expectedVersion);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Change that
        && key.equals(that.key)
        && expectedVersion == that.expectedVersion
        && Arrays.equals(value, that.value);
  }

  @Override
  public int hashCode() {
    return 31 * key.hashCode() + Arrays.hashCode(value);
  }

  @Override
  public String toString() {
    String what = value == null ? "remove" : value.length + " bytes";
    return key + " at " + expectedVersion + ": " + what;
  }
}
