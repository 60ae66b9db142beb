package io.fjordmq.range.remote;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormatException;
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
 * varint index that the answer must reflect
 * the query, to the end
 * </pre>
 */
sealed interface RangeCall {
  RangeId range();

  /** An encoded {@link io.fjordmq.range.RangeEntry}, not stamped yet. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Propose(RangeId range, byte[] entry) implements RangeCall {}

  /** See {@link io.fjordmq.range.RangeTransport#query}. */
  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  record Query(RangeId range, long epochVersion, long leastIndex, byte[] query)
      implements RangeCall {}

  int FORMAT = 1;
  int PROPOSE = 1;
  int QUERY = 2;

  /** Maximum bytes in addition to the store's name and the entry or query. */
  int OVERHEAD = 1 + 1 + 5 + 10 + 10 + 10;

  static byte[] encode(RangeCall call) {
    byte[] body = call instanceof Propose propose ? propose.entry() : ((Query) call).query();
    ByteWriter out = new ByteWriter(OVERHEAD + call.range().store().length() + body.length);
    out.writeByte(FORMAT).writeByte(call instanceof Propose ? PROPOSE : QUERY);
    out.writeString(call.range().store()).writeVarint(call.range().number());
    if (call instanceof Query query) {
      out.writeVarint(query.epochVersion()).writeVarint(query.leastIndex());
    }
    return out.writeBytes(body).toByteArray();
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
