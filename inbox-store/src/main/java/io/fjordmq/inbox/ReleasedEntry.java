package io.fjordmq.inbox;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;

/**
 * The remainder of an entry whose PUBREC was recorded.
 *
 * @param bytesBefore total size of all earlier entries of the inbox
 * @param bytes size of the entry itself
 */
record ReleasedEntry(long bytesBefore, long bytes) {
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

  static ReleasedEntry decode(byte[] row) {
    ByteReader in = new ByteReader(row);
    Versions.require(in.readByte(), VERSION, "released entry");
    return new ReleasedEntry(in.readVarint(), in.readVarint());
  }
}
