package io.fjordmq.broker.trace;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import java.util.ArrayList;
import java.util.List;

/** A request to another node about its trace files. Each kind describes its response. */
sealed interface TraceCall {
  /*
   *   1  version 1
   *   1  kind
   *   .. as described in each call
   *
   * Responses start with the same version byte.
   */
  int VERSION = 1;

  byte[] encode();

  static TraceCall decode(byte[] request) {
    ByteReader in = readerOf(request, "trace request between nodes");
    int kind = in.readByte();
    TraceCall call =
        switch (kind) {
          case ListFiles.KIND -> new ListFiles();
          case ReadFile.KIND -> new ReadFile(in.readString(), in.readVarint(), in.readInt());
          default -> throw NewerFormatException.unknownKind("trace request between nodes", kind);
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
    return readerOf(response, "response to a trace request between nodes");
  }

  /** The files of the node. */
  record ListFiles() implements TraceCall {
    /*
     * Response: v count
     *   | for each file: s name, v bytes, v modified (ms since the epoch), s problem, empty if none
     */
    static final int KIND = 3; // 1 was the same without problems

    @Override
    public byte[] encode() {
      return new ByteWriter(2).writeByte(VERSION).writeByte(KIND).toByteArray();
    }

    static byte[] encodeResponse(List<TraceFiles.Info> files) {
      ByteWriter out = new ByteWriter(256).writeByte(VERSION).writeVarint(files.size());
      for (TraceFiles.Info file : files) {
        out.writeString(file.fileName())
            .writeVarint(file.bytes())
            .writeVarint(file.modifiedMillis())
            .writeString(file.problem() == null ? "" : file.problem());
      }
      return out.toByteArray();
    }

    static List<TraceFiles.Info> decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      int count = in.readCount(4);
      List<TraceFiles.Info> files = new ArrayList<>(count);
      for (int i = 0; i < count; i++) {
        String name = in.readString();
        long bytes = in.readVarint();
        long modifiedMillis = in.readVarint();
        String problem = in.readString();
        files.add(
            new TraceFiles.Info(name, bytes, modifiedMillis, problem.isEmpty() ? null : problem));
      }
      in.requireEnd();
      return files;
    }
  }

  /**
   * A part of a file.
   *
   * @param position where the part begins, in bytes
   * @param maxBytes maximum size of the part
   */
  record ReadFile(String fileName, long position, int maxBytes) implements TraceCall {
    /*
     *   s name, v position, v maximum bytes
     *
     * Response: v size of the file | block part
     */
    static final int KIND = 2;

    /** A node sends at most this much at once. */
    static final int MAX_BYTES = 256 << 10;

    @Override
    public byte[] encode() {
      return new ByteWriter(64)
          .writeByte(VERSION)
          .writeByte(KIND)
          .writeString(fileName)
          .writeVarint(position)
          .writeVarint(maxBytes)
          .toByteArray();
    }

    static byte[] encodeResponse(TraceFiles.Part part) {
      return new ByteWriter(part.bytes().length + 16)
          .writeByte(VERSION)
          .writeVarint(part.fileBytes())
          .writeBlock(part.bytes())
          .toByteArray();
    }

    static TraceFiles.Part decodeResponse(byte[] response) {
      ByteReader in = responseReader(response);
      TraceFiles.Part part = new TraceFiles.Part(in.readVarint(), in.readBlock());
      in.requireEnd();
      return part;
    }
  }
}
