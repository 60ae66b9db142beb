package io.fjordmq.cluster.metadata;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One write of a batch.
 *
 * @param key 1 to 255 of {@code a-z A-Z 0-9 . _ / -}
 * @param value what the record becomes; null removes it. Not to be modified any more
 * @param expectedVersion the version the record must have: {@link #ABSENT} for none, {@link #ANY}
 *     if it does not matter
 */
@SuppressWarnings("ArrayRecordComponent") // equals, hashCode and toString are written out below
public record Change(String key, byte @Nullable [] value, long expectedVersion) {
  /** The record must not exist. */
  public static final long ABSENT = 0;

  /** The record may have any version or not exist. */
  public static final long ANY = -1;

  private static final Pattern KEY = Pattern.compile("[a-zA-Z0-9._/-]{1,255}");

  /**
   * @throws IllegalArgumentException if the key has another form
   */
  public Change {
    if (!KEY.matcher(key).matches()) {
      throw new IllegalArgumentException(
          "metadata key must be 1 to 255 letters, digits, '.', '_', '/' or '-', not '" + key + "'");
    }
    if (expectedVersion < ANY) {
      throw new IllegalArgumentException("not a version: " + expectedVersion);
    }
  }

  /** A batch as log entries have it, to be given to another node. */
  public static byte[] encode(List<Change> batch) {
    return MetadataCodec.encodeBatch(batch);
  }

  /**
   * What {@link #encode} made.
   *
   * @throws IllegalArgumentException if it is of another form
   * @throws java.nio.BufferUnderflowException if there is less than it says
   */
  public static List<Change> decode(byte[] batch) {
    return MetadataCodec.decodeBatch(ByteBuffer.wrap(batch));
  }

  /** Writes whatever is there. */
  public static Change put(String key, byte[] value) {
    return new Change(key, value, ANY);
  }

  /** Writes if the record is still at this version. */
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
