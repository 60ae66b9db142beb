package io.fjordmq.range.store;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
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
 * What is left of a range that became part of its left neighbour: its senders, and who has the keys
 * that it ever had. Nothing of it ever changes, so every node that has it can answer who still asks
 * for the range. It is the neighbour's, with all copies, and all but that there was a range of that
 * number is forgotten when the neighbour absorbs another one after an hour.
 *
 * <pre>
 * u8     format, 1
 * u64    clock of the neighbour
 * block  descriptor of the neighbour, as it was made by that
 * varint ranges that were split off this one, or off what had become part of it; of each
 *   block  descriptor, as it was then
 * </pre>
 */
final class AbsorbedRange {
  /** Much longer than any client repeats a batch. */
  static final long REMEMBERED_MILLIS = 3_600_000;

  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final long number;

  AbsorbedRange(long number) {
    this.number = number;
    this.keys = new RangeKeys(number);
  }

  /** Adds the rows that make it so, when a range takes in this one. */
  void begin(
      RangeDescriptor into, List<RangeDescriptor> children, RangeState state, KvWriter rows) {
    long now = state.clockMillis();
    forgetOld(state.keys(), now, rows);
    for (long part : parts(keys, rows)) {
      rows.delete(keys.part(part));
      rows.put(state.keys().part(part), new byte[0]);
    }
    rows.put(state.keys().part(number), new byte[0]);
    rows.delete(keys.descriptor());
    rows.delete(keys.progress());
    rows.delete(keys.frozen());
    rows.deleteRange(keys.childrenFrom(), keys.childrenTo());
    rows.put(keys.absorbed(), new Remains(now, into, children).encode());
  }

  /** Ranges that were split off it, or off what had become part of it. */
  List<RangeDescriptor> children(KvReader rows) {
    byte[] row = rows.get(keys.absorbed());
    return row == null ? List.of() : Remains.decode(row).children();
  }

  private static void forgetOld(RangeKeys of, long nowMillis, KvWriter rows) {
    for (long part : parts(of, rows)) {
      AbsorbedRange range = new AbsorbedRange(part);
      byte[] row = rows.get(range.keys.absorbed());
      if (row != null && Remains.decode(row).clockMillis() < nowMillis - REMEMBERED_MILLIS) {
        range.forget(rows);
      }
    }
  }

  /** Deletes what is left. */
  void forget(KvWriter rows) {
    rows.deleteRange(keys.sendersFrom(), keys.sendersTo());
    rows.delete(keys.absorbed());
  }

  /** Deletes what there may be of it, whether it is a range still or what is left of one. */
  void clear(KvBatch batch) {
    batch.deleteRange(keys.first(), keys.installing());
    batch.deleteRange(keys.childrenFrom(), keys.partsFrom());
  }

  void copyTo(RowFile.Writer file, KvReader rows) throws IOException {
    ReplicaSnapshot.copy(rows, keys.sendersFrom(), keys.sendersTo(), file);
    byte[] row = rows.get(keys.absorbed());
    if (row != null) {
      file.add(keys.absorbed(), row);
    }
  }

  /** The ranges that became part of one. */
  static List<Long> parts(RangeKeys of, KvReader rows) {
    List<Long> found = new ArrayList<>();
    rows.scan(
        of.partsFrom(),
        of.partsTo(),
        (key, value) -> {
          found.add(RangeKeys.numberOf(key));
          return true;
        });
    return found;
  }

  /**
   * The answer to who still asks for the range.
   *
   * @param entry null for a query
   * @return null if it did not become part of another one here
   */
  @Nullable RangeResult answer(byte @Nullable [] entry, KvReader rows) {
    byte[] row = rows.get(keys.absorbed());
    if (row == null) {
      return null;
    }
    if (entry != null
        && RangeEntry.decode(ByteBuffer.wrap(entry)) instanceof RangeEntry.Mutations batch) {
      byte[] sender = rows.get(keys.sender(batch.sender()));
      if (sender == null) {
        return new RangeResult.SenderForgotten();
      }
      SenderTable.Sender last = SenderTable.decode(sender);
      if (batch.number() == last.lastNumber()) {
        return new RangeResult.Applied(last.lastIndex(), last.answers());
      } else if (batch.number() < last.lastNumber()) {
        return new RangeResult.Outdated();
      }
    }
    Remains remains = Remains.decode(row);
    List<RangeDescriptor> shape = new ArrayList<>(remains.children());
    shape.add(remains.into());
    return new RangeResult.StaleEpoch(shape);
  }

  private record Remains(long clockMillis, RangeDescriptor into, List<RangeDescriptor> children) {
    byte[] encode() {
      ByteWriter out = new ByteWriter(128);
      out.writeByte(FORMAT).writeLong(clockMillis);
      out.writeBlock(RangeDescriptorCodec.encode(into)).writeVarint(children.size());
      children.forEach(child -> out.writeBlock(RangeDescriptorCodec.encode(child)));
      return out.toByteArray();
    }

    static Remains decode(byte[] bytes) {
      ByteReader in = new ByteReader(bytes);
      StoredFormat.require("row of an absorbed range", FORMAT, in);
      long clockMillis = in.readLong();
      RangeDescriptor into = RangeDescriptorCodec.decode(in.readBlock());
      List<RangeDescriptor> children = new ArrayList<>();
      for (int left = in.readCount(1); left > 0; left--) {
        children.add(RangeDescriptorCodec.decode(in.readBlock()));
      }
      in.requireEnd();
      return new Remains(clockMillis, into, List.copyOf(children));
    }
  }
}
