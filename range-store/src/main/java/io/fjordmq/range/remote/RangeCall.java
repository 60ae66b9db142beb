package io.fjordmq.range.remote;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;

/**
 * An attempt of a client, sent to another node.
 *
 * <pre>
 * u8     format, 1
 * u8     kind: 1 propose, 2 query
 * text   store
 * varint range number
 * -- propose only:
 * the encoded range entry, to the end
 * -- query only:
 * varint epoch version that the client routed by
 * varint index that the replica must have applied
 * the query, to the end
 * </pre>
 */
sealed interface RangeCall {
  RangeId range();

  /** An encoded {@link io.fjordmq.range.RangeEntry}, not stamped yet. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Propose(RangeId range, byte[] entry) implements RangeCall {}

  /** See {@link io.fjordmq.range.RangeTransport#query}. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Query(RangeId range, long epochVersion, long minIndex, byte[] query)
      implements RangeCall {}

  int FORMAT = 1;
  int PROPOSE = 1;
  int QUERY = 2;

  /** Maximum bytes in addition to the store's name and the entry or query. */
  int OVERHEAD = 1 + 1 + 5 + 10 + 10 + 10;

  static byte[] encode(RangeCall call) {
    byte[] body = call instanceof Propose propose ? propose.entry() : ((Query) call).query();
    ByteWriter out = new ByteWriter(headerBytes(call) + body.length);
    out.writeByte(FORMAT).writeByte(call instanceof Propose ? PROPOSE : QUERY);
    out.writeString(call.range().store()).writeVarint(call.range().number());
    if (call instanceof Query query) {
      out.writeVarint(query.epochVersion()).writeVarint(query.minIndex());
    }
    return out.writeBytes(body).toByteArray();
  }

  private static int headerBytes(RangeCall call) {
    int bytes =
        2
            + ByteWriter.stringBytes(call.range().store())
            + ByteWriter.varintBytes(call.range().number());
    return call instanceof Query query
        ? bytes
            + ByteWriter.varintBytes(query.epochVersion())
            + ByteWriter.varintBytes(query.minIndex())
        : bytes;
  }

  /**
   * @throws MalformedBytesException if the bytes are not a call
   */
  static RangeCall decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("range call", FORMAT, in);
    int kind = in.readByte();
    RangeId range = new RangeId(in.readString(), in.readVarint());
    return switch (kind) {
      case PROPOSE -> new Propose(range, in.readBytes(in.remaining()));
      case QUERY ->
          new Query(range, in.readVarint(), in.readVarint(), in.readBytes(in.remaining()));
      default -> throw NewerFormatException.unknownKind("range call", kind);
    };
  }
}
