package io.fjordmq.broker.backup;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;

/** A request to another node that reads a range for a backup. Each kind describes its response. */
sealed interface BackupCall {
  /*
   *   1  version 1
   *   1  kind
   *   .. as described in each call
   *
   * Responses start with the same version byte.
   */
  int VERSION = 1;

  byte[] encode();

  static BackupCall decode(byte[] request) {
    ByteReader in = readerOf(request, "backup request between nodes");
    int kind = in.readByte();
    BackupCall call =
        switch (kind) {
          case Open.KIND -> new Open(new RangeId(in.readString(), in.readLong()));
          case Read.KIND -> new Read(in.readLong());
          case Close.KIND -> new Close(in.readLong());
          default -> throw NewerFormatException.unknownKind("backup request between nodes", kind);
        };
    in.requireEnd();
    return call;
  }

  private static ByteReader readerOf(byte[] bytes, String format) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require(format, VERSION, in.readByte());
    return in;
  }

  private static ByteReader responseReader(byte[] response) {
    return readerOf(response, "response to a backup request between nodes");
  }

  private static ByteWriter begin(int kind) {
    return new ByteWriter(32).writeByte(VERSION).writeByte(kind);
  }

  /** Opens the data of a range. */
  record Open(RangeId range) implements BackupCall {
    /*
     *   s store, 8 number
     *
     * Response: 8 export | block descriptor | 8 applied index
     */
    static final int KIND = 1;

    @Override
    public byte[] encode() {
      return begin(KIND).writeString(range.store()).writeLong(range.number()).toByteArray();
    }

    static byte[] encodeResponse(ExportedRange opened) {
      return new ByteWriter(128)
          .writeByte(VERSION)
          .writeLong(opened.export())
          .writeBlock(RangeDescriptorCodec.encode(opened.descriptor()))
          .writeLong(opened.appliedIndex())
          .toByteArray();
    }

    static ExportedRange decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      ExportedRange opened =
          new ExportedRange(
              in.readLong(), RangeDescriptorCodec.decode(in.readBlock()), in.readLong());
      in.requireEnd();
      return opened;
    }
  }

  /** Reads the next rows of an export. */
  record Read(long export) implements BackupCall {
    /*
     *   8 export
     *
     * Response: 1 whether more rows follow | rows, to the end
     */
    static final int KIND = 2;

    @Override
    public byte[] encode() {
      return begin(KIND).writeLong(export).toByteArray();
    }

    static byte[] encodeResponse(RowBlock block) {
      return new ByteWriter(block.rows().length + 2)
          .writeByte(VERSION)
          .writeByte(block.hasMore() ? 1 : 0)
          .writeBytes(block.rows())
          .toByteArray();
    }

    static RowBlock decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      boolean hasMore = in.readByte() != 0;
      return new RowBlock(in.readBytes(in.remaining()), hasMore);
    }
  }

  /** Closes an export; does nothing if it is closed already. The response is only the version. */
  record Close(long export) implements BackupCall {
    /*
     *   8 export
     */
    static final int KIND = 3;

    @Override
    public byte[] encode() {
      return begin(KIND).writeLong(export).toByteArray();
    }

    static byte[] encodeResponse() {
      return new byte[] {VERSION};
    }
  }
}
