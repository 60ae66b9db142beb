package io.fjordmq.range.placement;

import io.fjordmq.cluster.consensus.ReplicaSet;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.store.RangeStore;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The orders that merge two ranges (decision 0028), and the encoding of each after the header of a
 * {@link PlacementOrder}:
 *
 * <pre>
 * -- freeze:   block descriptor of the right range; block descriptor of the left one
 * -- absorb:   block descriptor of the left range; block descriptor of the right one; replica set
 * -- bump epoch: block descriptor of the range
 * -- unfreeze: text store; varint range number
 * -- remove:   text store; varint range number; varint successors, then for each: varint number
 * </pre>
 */
sealed interface MergeOrder extends PlacementOrder.Task {
  int kind();

  void write(ByteWriter out);

  CompletableFuture<Void> perform(RangeStore store);

  /** Freeze the right range, which the receiver leads. */
  record Freeze(RangeDescriptor right, RangeDescriptor left) implements MergeOrder {
    static final int KIND = 8;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeRange(out, right);
      writeRange(out, left);
    }

    @Override
    public CompletableFuture<Void> perform(RangeStore store) {
      return store.merges().freeze(right, left);
    }
  }

  /** Have the left range, which the receiver leads, absorb the right one. */
  record Absorb(RangeDescriptor left, RangeDescriptor right, ReplicaSet replicas)
      implements MergeOrder {
    static final int KIND = 9;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeRange(out, left);
      writeRange(out, right);
      RangeReports.writeSet(out, replicas);
    }

    @Override
    public CompletableFuture<Void> perform(RangeStore store) {
      return store.merges().absorb(left, right, replicas);
    }
  }

  /** Raise the epoch version of the range, which the receiver leads. */
  record BumpEpoch(RangeDescriptor range) implements MergeOrder {
    static final int KIND = 10;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      writeRange(out, range);
    }

    @Override
    public CompletableFuture<Void> perform(RangeStore store) {
      return store.merges().bumpEpoch(range);
    }
  }

  /** Unfreeze the range, which the receiver leads. */
  record Unfreeze(RangeId range) implements MergeOrder {
    static final int KIND = 11;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      out.writeString(range.store()).writeVarint(range.number());
    }

    @Override
    public CompletableFuture<Void> perform(RangeStore store) {
      return store.merges().unfreeze(range);
    }
  }

  /** Remove the stale replica of a range that was merged into others. */
  record RemoveStaleReplica(RangeId range, Set<RangeId> successors) implements MergeOrder {
    static final int KIND = 12;

    @Override
    public int kind() {
      return KIND;
    }

    @Override
    public void write(ByteWriter out) {
      out.writeString(range.store()).writeVarint(range.number()).writeVarint(successors.size());
      successors.stream().mapToLong(RangeId::number).sorted().forEach(out::writeVarint);
    }

    @Override
    public CompletableFuture<Void> perform(RangeStore store) {
      return store.merges().removeStaleReplica(range, successors);
    }
  }

  private static void writeRange(ByteWriter out, RangeDescriptor range) {
    out.writeBlock(RangeDescriptorCodec.encode(range));
  }

  private static RangeDescriptor readRange(ByteReader in) {
    return RangeDescriptorCodec.decode(in.readBlock());
  }

  private static RangeId readId(ByteReader in) {
    return new RangeId(in.readString(), in.readVarint());
  }

  /** Returns whether {@link #read} accepts this kind. */
  static boolean isKind(int kind) {
    return kind >= Freeze.KIND && kind <= RemoveStaleReplica.KIND;
  }

  /**
   * @throws MalformedBytesException if the bytes are not a valid order
   */
  static MergeOrder read(int kind, ByteReader in) {
    return switch (kind) {
      case Freeze.KIND -> new Freeze(readRange(in), readRange(in));
      case Absorb.KIND -> new Absorb(readRange(in), readRange(in), RangeReports.readSet(in));
      case BumpEpoch.KIND -> new BumpEpoch(readRange(in));
      case Unfreeze.KIND -> new Unfreeze(readId(in));
      default -> readRemoveStaleReplica(in);
    };
  }

  private static RemoveStaleReplica readRemoveStaleReplica(ByteReader in) {
    RangeId range = readId(in);
    Set<RangeId> successors = new HashSet<>();
    for (int remaining = in.readCount(1); remaining > 0; remaining--) {
      successors.add(new RangeId(range.store(), in.readVarint()));
    }
    return new RemoveStaleReplica(range, Set.copyOf(successors));
  }
}
