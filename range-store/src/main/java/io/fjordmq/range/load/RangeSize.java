package io.fjordmq.range.load;

import org.jspecify.annotations.Nullable;

/**
 * How much a range holds.
 *
 * @param bytes of its rows in the storage, estimated; negative if that is not known
 * @param halvingKey where they are best cut in two; null if it was not looked for, or no cut that
 *     is worth a range was found
 * @param searchAbandoned none was found because the search stepped over too many deleted rows
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
public record RangeSize(long bytes, byte @Nullable [] halvingKey, boolean searchAbandoned) {
  public static final RangeSize UNKNOWN = of(-1);

  /** Without a look for the halving key. */
  public static RangeSize of(long bytes) {
    return new RangeSize(bytes, null, false);
  }

  boolean isKnown() {
    return bytes >= 0;
  }
}
