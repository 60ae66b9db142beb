package io.fjordmq.inbox;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.kv.KvReader;
import java.nio.ByteBuffer;

/**
 * A query to a range. Queries run concurrently with the apply thread: they read rows, and only the
 * parts of the memory that any thread may read.
 */
public sealed interface InboxQuery
    permits DescribeSession,
        FetchEntries,
        ListSessions,
        ListSubscriptions,
        PeekEntries,
        ReadUndelivered,
        SweepQuery {
  /*
   *   1  version 1
   *   1  kind
   *   .. as described in each query
   */
  int VERSION = 1;

  int kind();

  void write(ByteWriter out);

  byte[] execute(KvReader rows, InboxMemory memory);

  default byte[] encode() {
    ByteWriter out = new ByteWriter(64);
    out.writeByte(VERSION).writeByte(kind());
    write(out);
    return out.toByteArray();
  }

  static InboxQuery decode(ByteBuffer bytes) {
    ByteReader in = new ByteReader(bytes);
    NewerFormatException.require("inbox query", VERSION, in.readByte());
    int kind = in.readByte();
    InboxQuery query =
        switch (kind) {
          case FetchEntries.KIND -> FetchEntries.read(in);
          case ReadUndelivered.KIND -> ReadUndelivered.read(in);
          case SweepQuery.KIND -> new SweepQuery();
          case ListSessions.KIND -> ListSessions.read(in);
          case DescribeSession.KIND -> DescribeSession.read(in);
          case ListSubscriptions.KIND -> ListSubscriptions.read(in);
          case PeekEntries.KIND -> PeekEntries.read(in);
          default -> throw NewerFormatException.unknownKind("inbox query", kind);
        };
    in.requireEnd();
    return query;
  }
}
