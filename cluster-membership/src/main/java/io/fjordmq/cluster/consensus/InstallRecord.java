package io.fjordmq.cluster.consensus;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.NewerFormException;

/**
 * Mark of a copy that is being installed. While it exists the state may be half of each, so the
 * installation is done again before anything else.
 *
 * <pre>
 * version u8 = 1 | directory name string | CheckpointRecord: length varint, bytes
 * </pre>
 *
 * @param directory name below the host's incoming copies
 * @param checkpoint what the state will cover once the copy is installed
 */
record InstallRecord(String directory, CheckpointRecord checkpoint) {
  private static final byte VERSION = 1;

  byte[] encode() {
    return new ByteWriter(128)
        .writeByte(VERSION)
        .writeString(directory)
        .writeBlock(checkpoint.encode())
        .toByteArray();
  }

  static InstallRecord decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormException.require("install record", VERSION, in.readByte());
    InstallRecord record =
        new InstallRecord(in.readString(), CheckpointRecord.decode(in.readBlock()));
    in.requireEnd();
    return record;
  }
}
