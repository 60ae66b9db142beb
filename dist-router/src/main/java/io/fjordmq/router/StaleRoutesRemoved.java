package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import org.jspecify.annotations.Nullable;

/**
 * The response to {@link RemoveStaleRoutes}.
 *
 * @param removed number of removed routes
 * @param next key to continue at, in this range or the next one; null if all ranges are done
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by value
public record StaleRoutesRemoved(int removed, byte @Nullable [] next) {
  /*
   *   1  version   1
   *   1  more      1 if there is a key to continue at
   *   v  removed
   *   .. next      rest of the bytes
   */
  private static final int VERSION = 1;

  public byte[] encode() {
    ByteWriter out = new ByteWriter(16 + (next == null ? 0 : next.length));
    out.writeByte(VERSION).writeByte(next == null ? 0 : 1).writeVarint(removed);
    return next == null ? out.toByteArray() : out.writeBytes(next).toByteArray();
  }

  public static StaleRoutesRemoved decode(byte[] response) {
    ByteReader in = new ByteReader(response);
    NewerFormatException.require("stale routes response", VERSION, in.readByte());
    boolean more = in.readByte() != 0;
    int removed = in.readInt();
    return new StaleRoutesRemoved(removed, more ? in.readBytes(in.remaining()) : null);
  }
}
