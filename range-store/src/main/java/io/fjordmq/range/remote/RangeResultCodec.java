package io.fjordmq.range.remote;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoredFormat;
import java.util.ArrayList;
import java.util.List;

/**
 * Encodes and decodes {@link RangeResult}, sent back to the calling node.
 *
 * <pre>
 * u8 format, 1
 * u8 kind, then
 *  1 applied           varint index, varint responses, then as many blocks
 *  2 registered        varint sender
 *  3 success           the response, to the end
 *  4 not leader        text leader, empty if not known
 *  5 stale epoch       varint descriptors, then as many blocks: range descriptors
 *  6 sender evicted
 *  7 outdated batch
 *  8 busy              text reason
 *  9 unavailable       text reason
 * 10 outcome unknown   text reason
 * 11 storage failed    text reason
 * 12 applied           varint microseconds until the next batch, then as 1; only to a sender whose
 *                      batch is marked as paced
 * </pre>
 */
final class RangeResultCodec {
  private static final int FORMAT = 1;
  private static final int APPLIED = 1;
  private static final int REGISTERED = 2;
  private static final int SUCCESS = 3;
  private static final int NOT_LEADER = 4;
  private static final int STALE_EPOCH = 5;
  private static final int SENDER_EVICTED = 6;
  private static final int OUTDATED_BATCH = 7;
  private static final int BUSY = 8;
  private static final int UNAVAILABLE = 9;
  private static final int OUTCOME_UNKNOWN = 10;
  private static final int STORAGE_FAILED = 11;
  private static final int APPLIED_AND_PACED = 12;

  private RangeResultCodec() {}

  static byte[] encode(RangeResult result) {
    if (result instanceof RangeResult.Applied applied) {
      return encodeApplied(applied);
    } else if (result instanceof RangeResult.Registered registered) {
      return begin(REGISTERED, 10).writeVarint(registered.sender()).toByteArray();
    } else if (result instanceof RangeResult.Success success) {
      byte[] response = success.response();
      return begin(SUCCESS, response.length).writeBytes(response).toByteArray();
    } else if (result instanceof RangeResult.NotLeader notLeader) {
      NodeId leader = notLeader.leader();
      return encodeText(NOT_LEADER, leader == null ? "" : leader.value());
    } else if (result instanceof RangeResult.StaleEpoch stale) {
      return encodeStale(stale);
    } else if (result instanceof RangeResult.SenderEvicted) {
      return begin(SENDER_EVICTED, 0).toByteArray();
    } else if (result instanceof RangeResult.OutdatedBatch) {
      return begin(OUTDATED_BATCH, 0).toByteArray();
    } else if (result instanceof RangeResult.Busy busy) {
      return encodeText(BUSY, busy.reason());
    } else if (result instanceof RangeResult.Unavailable unavailable) {
      return encodeText(UNAVAILABLE, unavailable.reason());
    } else if (result instanceof RangeResult.OutcomeUnknown unknown) {
      return encodeText(OUTCOME_UNKNOWN, unknown.reason());
    }
    return encodeText(STORAGE_FAILED, ((RangeResult.StorageFailed) result).reason());
  }

  private static ByteWriter begin(int kind, int expectedBytes) {
    return new ByteWriter(2 + expectedBytes).writeByte(FORMAT).writeByte(kind);
  }

  private static byte[] encodeText(int kind, String text) {
    return begin(kind, 5 + text.length()).writeString(text).toByteArray();
  }

  private static byte[] encodeApplied(RangeResult.Applied applied) {
    int size = 25;
    for (byte[] response : applied.responses()) {
      size += 5 + response.length;
    }
    long nextBatchMicros = applied.nextBatchMicros();
    ByteWriter out =
        nextBatchMicros == 0
            ? begin(APPLIED, size)
            : begin(APPLIED_AND_PACED, size).writeVarint(nextBatchMicros);
    out.writeVarint(applied.index()).writeVarint(applied.responses().size());
    applied.responses().forEach(out::writeBlock);
    return out.toByteArray();
  }

  private static byte[] encodeStale(RangeResult.StaleEpoch stale) {
    ByteWriter out = begin(STALE_EPOCH, 128).writeVarint(stale.current().size());
    stale.current().forEach(range -> out.writeBlock(RangeDescriptorCodec.encode(range)));
    return out.toByteArray();
  }

  /**
   * @throws MalformedBytesException if the bytes are not a result
   */
  static RangeResult decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("range result", FORMAT, in);
    int kind = in.readByte();
    RangeResult result =
        switch (kind) {
          case APPLIED -> new RangeResult.Applied(in.readVarint(), readBlocks(in));
          case APPLIED_AND_PACED -> appliedAndPaced(in);
          case REGISTERED -> new RangeResult.Registered(in.readVarint());
          case SUCCESS -> new RangeResult.Success(in.readBytes(in.remaining()));
          case NOT_LEADER -> notLeader(in.readString());
          case STALE_EPOCH -> new RangeResult.StaleEpoch(readDescriptors(in));
          case SENDER_EVICTED -> new RangeResult.SenderEvicted();
          case OUTDATED_BATCH -> new RangeResult.OutdatedBatch();
          case BUSY -> new RangeResult.Busy(in.readString());
          case UNAVAILABLE -> new RangeResult.Unavailable(in.readString());
          case OUTCOME_UNKNOWN -> new RangeResult.OutcomeUnknown(in.readString());
          case STORAGE_FAILED -> new RangeResult.StorageFailed(in.readString());
          default -> throw NewerFormatException.unknownKind("range result", kind);
        };
    in.requireEnd();
    return result;
  }

  private static RangeResult appliedAndPaced(ByteReader in) {
    long nextBatchMicros = in.readVarint();
    return new RangeResult.Applied(in.readVarint(), readBlocks(in), nextBatchMicros);
  }

  private static RangeResult notLeader(String leader) {
    return new RangeResult.NotLeader(leader.isEmpty() ? null : new NodeId(leader));
  }

  private static List<byte[]> readBlocks(ByteReader in) {
    int count = in.readCount(1);
    List<byte[]> blocks = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      blocks.add(in.readBlock());
    }
    return blocks;
  }

  private static List<RangeDescriptor> readDescriptors(ByteReader in) {
    return readBlocks(in).stream().map(RangeDescriptorCodec::decode).toList();
  }
}
