package io.fjordmq.cluster.consensus.log;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;

/**
 * Marks a snapshot installation in progress. While the record exists, the state may be a mixture of
 * old and new, so the installation is repeated before anything else.
 *
 * <pre>
 * version u8 = 1 | directory name string | CheckpointRecord: length varint, bytes
 * </pre>
 *
 * @param directory name of the directory below the host's incoming snapshots
 * @param checkpoint checkpoint of the state once the snapshot is installed
 */
public record InstallRecord(String directory, CheckpointRecord checkpoint) {
  private static final byte VERSION = 1;

  public byte[] encode() {
    return new ByteWriter(128)
        .writeByte(VERSION)
        .writeString(directory)
        .writeBlock(checkpoint.encode())
        .toByteArray();
  }

  public static InstallRecord decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("install record", VERSION, in.readByte());
    InstallRecord record =
        new InstallRecord(in.readString(), CheckpointRecord.decode(in.readBlock()));
    in.requireEnd();
    return record;
  }
}
