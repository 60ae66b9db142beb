package io.fjordmq.range.store;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoredFormat;

/**
 * Records that a range is frozen so that its left neighbor can absorb it (decision 0028).
 *
 * <pre>
 * u8   format, 1
 * u64  number of the left neighbor
 * u64  epoch version of the neighbor that the freeze is valid for
 * u64  log index after which the rows of the range do not change
 * u64  the range's clock at that index
 * </pre>
 *
 * @param left number of the neighbor
 */
record FreezeRecord(long left, long leftVersion, long index, long clockMillis) {
  /** Response to clients; they retry until the range is unfrozen or merged into its neighbor. */
  static final RangeResult BUSY = new RangeResult.Busy("the range is being merged");

  private static final int FORMAT = 1;

  byte[] encode() {
    return new ByteWriter(33)
        .writeByte(FORMAT)
        .writeLong(left)
        .writeLong(leftVersion)
        .writeLong(index)
        .writeLong(clockMillis)
        .toByteArray();
  }

  static FreezeRecord decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("row of a frozen range", FORMAT, in);
    FreezeRecord freezeRecord =
        new FreezeRecord(in.readLong(), in.readLong(), in.readLong(), in.readLong());
    in.requireEnd();
    return freezeRecord;
  }
}
