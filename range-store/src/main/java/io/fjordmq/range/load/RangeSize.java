package io.fjordmq.range.load;

import org.jspecify.annotations.Nullable;

/**
 * The size of a range.
 *
 * @param bytes estimated size of its rows in storage; negative if unknown
 * @param halvingKey key that splits the rows in half; null if no search was made, or the search
 *     found no worthwhile split
 * @param searchAbandoned whether the search was aborted because of too many tombstones
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record RangeSize(long bytes, byte @Nullable [] halvingKey, boolean searchAbandoned) {
  public static final RangeSize UNKNOWN = of(-1);

  /** Returns a size without a halving key. */
  public static RangeSize of(long bytes) {
    return new RangeSize(bytes, null, false);
  }

  boolean isKnown() {
    return bytes >= 0;
  }
}
