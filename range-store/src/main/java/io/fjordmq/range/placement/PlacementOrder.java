package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;

/**
 * An order from the driver to a node, and its encoding.
 *
 * <pre>
 * u8     format, 1
 * u8     kind: 1 report, 2 ensure, 3 change, 4 transfer, 5 drop, 6 forget, 7 split, 8 freeze,
 *        9 absorb, 10 bump epoch, 11 unfreeze, 12 remove; the last five: {@link MergeOrder}
 * varint term of the metadata group that the driver leads
 * varint number of the order in this term
 * -- ensure: the range's descriptor with the group's replicas, to the end
 * -- change, transfer, drop, forget and split:
 * text   store
 * varint range number
 * -- change: two sets, from and to: varint voters, then as many texts; varint learners, the same
 * -- transfer: text target
 * -- drop: varint log index as of which the group does not count the node
 * -- split: varint epoch version of the range; varint number of the new range; block key
 * </pre>
 *
 * @param term orders of an earlier term are rejected: their driver has been replaced
 * @param number orders with a lower number in the same term are rejected: they were delayed
 */
record PlacementOrder(long term, long number, Task task) {
  private static final int FORMAT = 1;
  private static final int REPORT = 1;
  private static final int ENSURE = 2;
  private static final int CHANGE = 3;
  private static final int TRANSFER = 4;
  private static final int DROP = 5;
  private static final int FORGET = 6;
  private static final int SPLIT = 7;

  /** The task that the node has to carry out. */
  sealed interface Task permits Report, Ensure, Change, Transfer, Drop, Forget, Split, MergeOrder {}

  /** Report the replicas of this node; the response is {@link RangeReports}. */
  record Report() implements Task {}

  /** Create a replica of the range unless there is one. */
  record Ensure(RangeDescriptor range) implements Task {}

  /**
   * Change the replicas of the group, which the receiver leads. If both sets are equal, the group
   * only confirms them.
   */
  record Change(RangeId range, ReplicaSet from, ReplicaSet to) implements Task {}

  /** Transfer leadership from the receiver to the target. */
  record Transfer(RangeId range, NodeId target) implements Task {}

  /** Remove the receiver's replica. */
  record Drop(RangeId range, long asOfIndex) implements Task {}

  /** Allow the receiver to have a replica of the range again. */
  record Forget(RangeId range) implements Task {}

  /** Split the range, which the receiver leads. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Split(RangeId range, long epochVersion, byte[] key, long newNumber) implements Task {}

  boolean isAfter(long lastTerm, long lastNumber) {
    return term > lastTerm || (term == lastTerm && number > lastNumber);
  }

  byte[] encode() {
    ByteWriter out = new ByteWriter(128);
    out.writeByte(FORMAT).writeByte(kind()).writeVarint(term).writeVarint(number);
    if (task instanceof Ensure ensure) {
      out.writeBytes(RangeDescriptorCodec.encode(ensure.range()));
    } else if (task instanceof Change change) {
      writeRange(out, change.range());
      RangeReports.writeSet(out, change.from());
      RangeReports.writeSet(out, change.to());
    } else if (task instanceof Transfer transfer) {
      writeRange(out, transfer.range());
      out.writeString(transfer.target().value());
    } else if (task instanceof Drop drop) {
      writeRange(out, drop.range());
      out.writeVarint(drop.asOfIndex());
    } else if (task instanceof Forget forget) {
      writeRange(out, forget.range());
    } else if (task instanceof Split split) {
      writeRange(out, split.range());
      out.writeVarint(split.epochVersion()).writeVarint(split.newNumber()).writeBlock(split.key());
    } else if (task instanceof MergeOrder merge) {
      merge.write(out);
    }
    return out.toByteArray();
  }

  private int kind() {
    if (task instanceof Ensure) {
      return ENSURE;
    } else if (task instanceof Change) {
      return CHANGE;
    } else if (task instanceof Transfer) {
      return TRANSFER;
    } else if (task instanceof Drop) {
      return DROP;
    }
    if (task instanceof Split) {
      return SPLIT;
    } else if (task instanceof MergeOrder merge) {
      return merge.kind();
    }
    return task instanceof Forget ? FORGET : REPORT;
  }

  private static void writeRange(ByteWriter out, RangeId range) {
    out.writeString(range.store()).writeVarint(range.number());
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid order
   */
  static PlacementOrder decode(byte[] bytes) {
    ByteReader in = new ByteReader(bytes);
    StoredFormat.require("placement order", FORMAT, in);
    int kind = in.readByte();
    long term = in.readVarint();
    long number = in.readVarint();
    Task task =
        switch (kind) {
          case REPORT -> new Report();
          case ENSURE -> new Ensure(RangeDescriptorCodec.decode(in.readBytes(in.remaining())));
          case CHANGE ->
              new Change(readRange(in), RangeReports.readSet(in), RangeReports.readSet(in));
          case TRANSFER -> new Transfer(readRange(in), new NodeId(in.readString()));
          case DROP -> new Drop(readRange(in), in.readVarint());
          case FORGET -> new Forget(readRange(in));
          case SPLIT -> readSplit(in);
          default -> readMerge(kind, in);
        };
    in.requireEnd();
    return new PlacementOrder(term, number, task);
  }

  private static Task readMerge(int kind, ByteReader in) {
    if (!MergeOrder.isKind(kind)) {
      throw NewerFormatException.unknownKind("placement order", kind);
    }
    return MergeOrder.read(kind, in);
  }

  private static Split readSplit(ByteReader in) {
    RangeId range = readRange(in);
    long epochVersion = in.readVarint();
    long number = in.readVarint();
    return new Split(range, epochVersion, in.readBlock(), number);
  }

  private static RangeId readRange(ByteReader in) {
    return new RangeId(in.readString(), in.readVarint());
  }
}
