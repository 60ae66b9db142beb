package io.fjordmq.range.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The hash of a slice of a replica's rows as of one log entry. All replicas of the range must get
 * the same.
 *
 * @param hash of the keys and values, {@link #BYTES} bytes
 * @param rows number of rows
 * @param next where the next slice begins, as a row of the store's space; null at the end of the
 *     range
 */
@SuppressWarnings("ArrayRecordComponent") // compared by matches()
public record SliceHash(byte[] hash, long rows, byte @Nullable [] next) {
  /** Number of bytes of a hash. */
  public static final int BYTES = 32;

  /** Returns whether the other replica has the same rows. */
  public boolean matches(SliceHash other) {
    return Arrays.equals(hash, other.hash) && rows == other.rows && Arrays.equals(next, other.next);
  }
}
