package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The answer to {@link RouteCommand.RemoveStale}.
 *
 * @param removed number of removed routes
 * @param next key to continue at, in this range or the next one; null if all ranges are done
 */
@SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
record StaleRoutesRemoved(int removed, byte @Nullable [] next) {
  /*
   *   1  version   1
   *   1  more      1 if there is a key to continue at
   *   v  removed
   *   .. next      rest of the bytes
   */
  private static final int VERSION = 1;

  byte[] encode() {
    ByteWriter out = new ByteWriter(16 + (next == null ? 0 : next.length));
    out.writeByte(VERSION).writeByte(next == null ? 0 : 1).writeVarint(removed);
    return next == null ? out.toByteArray() : out.writeBytes(next).toByteArray();
  }

  static StaleRoutesRemoved decode(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    NewerFormatException.require("answer about stale routes", VERSION, in.readByte());
    boolean more = in.readByte() != 0;
    int removed = in.readInt();
    return new StaleRoutesRemoved(removed, more ? in.readBytes(in.remaining()) : null);
  }
}
