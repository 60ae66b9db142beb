package io.fjordmq.router;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormatException;

/**
 * The answer to {@link RouteCommand.Add} and {@link RouteCommand.Remove}: the log position of the
 * change.
 *
 * <pre>
 * u8  version, 1
 * u64 range number
 * u64 index
 * </pre>
 */
record RouteChanged(long range, long index) {
  private static final int VERSION = 1;
  private static final int BYTES = 17;

  byte[] encode() {
    return new ByteWriter(BYTES).writeByte(VERSION).writeLong(range).writeLong(index).toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not such an answer
   */
  static RouteChanged decode(byte[] answer) {
    ByteReader in = new ByteReader(answer);
    NewerFormatException.require("answer about routes", VERSION, in.readByte());
    RouteChanged changed = new RouteChanged(in.readLong(), in.readLong());
    in.requireEnd();
    return changed;
  }
}
