package io.fjordmq.range.store;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEntry;
import io.fjordmq.range.RangeResult;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The remnants of a range that was merged into its left neighbor: its senders, and the ranges that
 * hold the keys it ever had. They never change, so every node that has them can respond to clients
 * that still send requests to the range. They belong to the neighbor and are part of its snapshots.
 * When the neighbor absorbs another range more than an hour later, it forgets everything about this
 * one except that a range with this number existed.
 *
 * <pre>
 * u8     format, 1
 * u64    clock of the neighbor
 * block  descriptor of the neighbor as of the merge
 * varint ranges that were split off this one, or off ranges that it had absorbed; for each:
 *   block  descriptor as of the split
 * </pre>
 */
final class AbsorbedRange {
  /** Much longer than the time for which any client retries a batch. */
  static final long RETENTION_MILLIS = 3_600_000;

  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final long number;

  AbsorbedRange(long number) {
    this.number = number;
    this.keys = new RangeKeys(number);
  }

  /** Replaces the rows of this range with its remnants when another range absorbs it. */
  void replaceRows(
      RangeDescriptor into, List<RangeDescriptor> children, RangeState state, KvWriter rows) {
    long now = state.clockMillis();
    forgetOld(state.keys(), now, rows);
    for (long absorbed : absorbedNumbers(keys, rows)) {
      rows.delete(keys.absorbedRange(absorbed));
      rows.put(state.keys().absorbedRange(absorbed), new byte[0]);
    }
    rows.put(state.keys().absorbedRange(number), new byte[0]);
    rows.delete(keys.descriptor());
    rows.delete(keys.progress());
    rows.delete(keys.frozen());
    rows.deleteRange(keys.childrenFrom(), keys.childrenTo());
    rows.put(keys.absorbed(), new AbsorbedRow(now, into, children).encode());
  }

  /** Returns the ranges that were split off it, or off ranges that it had absorbed. */
  List<RangeDescriptor> children(KvReader rows) {
    byte[] row = rows.get(keys.absorbed());
    return row == null ? List.of() : AbsorbedRow.decode(row).children();
  }

  private static void forgetOld(RangeKeys rangeKeys, long nowMillis, KvWriter rows) {
    for (long absorbed : absorbedNumbers(rangeKeys, rows)) {
      AbsorbedRange range = new AbsorbedRange(absorbed);
      byte[] row = rows.get(range.keys.absorbed());
      if (row != null && AbsorbedRow.decode(row).clockMillis() < nowMillis - RETENTION_MILLIS) {
        range.forget(rows);
      }
    }
  }

  /** Deletes the remnants. */
  void forget(KvWriter rows) {
    rows.deleteRange(keys.sendersFrom(), keys.sendersTo());
    rows.delete(keys.absorbed());
  }

  /** Deletes all rows of the range, or its remnants if it was absorbed. */
  void clear(KvBatch batch) {
    batch.deleteRange(keys.first(), keys.installing());
    batch.deleteRange(keys.childrenFrom(), keys.absorbedRangesFrom());
  }

  void copyTo(RowFile.Writer file, KvReader rows) throws IOException {
    ReplicaSnapshot.copy(rows, keys.sendersFrom(), keys.sendersTo(), file);
    byte[] row = rows.get(keys.absorbed());
    if (row != null) {
      file.add(keys.absorbed(), row);
    }
  }

  /** Returns the numbers of the ranges that a range has absorbed. */
  static List<Long> absorbedNumbers(RangeKeys rangeKeys, KvReader rows) {
    List<Long> found = new ArrayList<>();
    rows.scan(
        rangeKeys.absorbedRangesFrom(),
        rangeKeys.absorbedRangesTo(),
        (key, value) -> {
          found.add(RangeKeys.numberOf(key));
          return true;
        });
    return found;
  }

  /**
   * Returns the response to a client that still sends requests to the range.
   *
   * @param entry null for a query
   * @return null if the range was not absorbed on this node
   */
  @Nullable RangeResult responseTo(byte @Nullable [] entry, KvReader rows) {
    byte[] row = rows.get(keys.absorbed());
    if (row == null) {
      return null;
    }
    if (entry != null
        && RangeEntry.decode(ByteBuffer.wrap(entry)) instanceof RangeEntry.Mutations batch) {
      byte[] sender = rows.get(keys.sender(batch.sender()));
      if (sender == null) {
        return new RangeResult.SenderEvicted();
      }
      SenderTable.Sender last = SenderTable.decode(sender);
      if (batch.number() == last.lastNumber()) {
        return new RangeResult.Applied(last.lastIndex(), last.responses());
      } else if (batch.number() < last.lastNumber()) {
        return new RangeResult.OutdatedBatch();
      }
    }
    AbsorbedRow absorbedRow = AbsorbedRow.decode(row);
    List<RangeDescriptor> ranges = new ArrayList<>(absorbedRow.children());
    ranges.add(absorbedRow.into());
    return new RangeResult.StaleEpoch(ranges);
  }

  private record AbsorbedRow(
      long clockMillis, RangeDescriptor into, List<RangeDescriptor> children) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(128);
      out.writeByte(FORMAT).writeLong(clockMillis);
      out.writeBlock(RangeDescriptorCodec.encode(into)).writeVarint(children.size());
      children.forEach(child -> out.writeBlock(RangeDescriptorCodec.encode(child)));
      return out.toByteArray();
    }

    static AbsorbedRow decode(byte[] bytes) {
      ByteReader in = new ByteReader(bytes);
      StoredFormat.require("row of an absorbed range", FORMAT, in);
      long clockMillis = in.readLong();
      RangeDescriptor into = RangeDescriptorCodec.decode(in.readBlock());
      List<RangeDescriptor> children = new ArrayList<>();
      for (int remaining = in.readCount(1); remaining > 0; remaining--) {
        children.add(RangeDescriptorCodec.decode(in.readBlock()));
      }
      in.requireEnd();
      return new AbsorbedRow(clockMillis, into, List.copyOf(children));
    }
  }
}
