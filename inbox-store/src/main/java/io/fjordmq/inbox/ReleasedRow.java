package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * The remainder of an entry once its PUBREC is recorded.
 *
 * @param bytesBefore total size of all earlier entries of the inbox
 * @param bytes size of the entry itself
 */
record ReleasedRow(long bytesBefore, long bytes) {
  /*
   *   1  version 1
   *   v  bytesBefore
   *   v  bytes
   */
  private static final int VERSION = 1;

  byte[] encode() {
    return new ByteWriter(16)
        .writeByte(VERSION)
        .writeVarint(bytesBefore)
        .writeVarint(bytes)
        .toByteArray();
  }

  static ReleasedRow decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    NewerFormatException.require("released entry", VERSION, in.readByte());
    return new ReleasedRow(in.readVarint(), in.readVarint());
  }
}
