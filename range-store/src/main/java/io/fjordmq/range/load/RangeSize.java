package io.fjordmq.range.load;

import org.jspecify.annotations.Nullable;

/**
 * How much a range holds.
 *
 * @param bytes of its rows in the storage, estimated; negative if that is not known
 * @param halvingKey where they are best cut in two; null if it was not looked for, or there is no
 *     cut that is worth a range
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
public record RangeSize(long bytes, byte @Nullable [] halvingKey) {
  public static final RangeSize UNKNOWN = new RangeSize(-1, null);

  boolean isKnown() {
    return bytes >= 0;
  }
}
