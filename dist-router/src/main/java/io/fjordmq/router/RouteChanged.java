package io.fjordmq.router;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;

/**
 * The response to {@link AddRoute} and {@link RemoveRoute}: the log position of the change.
 *
 * <pre>
 * u8  version, 1
 * u64 range number
 * u64 index
 * </pre>
 */
public record RouteChanged(long range, long index) {
  private static final int VERSION = 1;
  private static final int BYTES = 17;

  public byte[] encode() {
    return new ByteWriter(BYTES).writeByte(VERSION).writeLong(range).writeLong(index).toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not such a response
   */
  public static RouteChanged decode(byte[] response) {
    ByteReader in = new ByteReader(response);
    NewerFormatException.require("route change response", VERSION, in.readByte());
    RouteChanged changed = new RouteChanged(in.readLong(), in.readLong());
    in.requireEnd();
    return changed;
  }
}
