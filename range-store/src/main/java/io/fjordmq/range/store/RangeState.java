package io.fjordmq.range.store;

import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeEpoch;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.StoredFormat;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The engine's own part of a range's state, in memory and as rows. Used by the apply thread.
 *
 * <p>The progress row:
 *
 * <pre>
 * u8   format, 1
 * u64  applied index
 * u64  clock in milliseconds since the epoch: the highest stamp since the last reset
 * u64  next sender
 * </pre>
 */
final class RangeState {
  /**
   * The log of every range starts after this index and not at 1: a replica that joins has to start
   * from a snapshot, because the range may have inherited rows.
   */
  static final long INITIAL_LOG_INDEX = 10;

  /**
   * A clock is reset if it is at least this far ahead. Replicas must agree on this value, so it is
   * not configurable.
   */
  static final long MIN_RESET_MILLIS = 5_000;

  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final SenderTable senders;

  /** Ranges that were split off, as of the split. */
  private final List<RangeDescriptor> children = new ArrayList<>();

  /** Ranges that were split off ranges that this one has absorbed. */
  private final List<RangeDescriptor> childrenOfAbsorbed = new ArrayList<>();

  private RangeDescriptor descriptor;
  private long appliedIndex;
  private long clockMillis;
  private @Nullable FreezeRecord freezeRecord;

  private RangeState(RangeKeys keys, RangeDescriptor descriptor, SenderTable senders) {
    this.keys = keys;
    this.descriptor = descriptor;
    this.senders = senders;
  }

  /** Adds the rows of a replica to which nothing has been applied yet. */
  static void create(RangeDescriptor descriptor, KvBatch batch) {
    create(descriptor, 0, 0, batch);
  }

  /** Adds the rows of a replica of a range whose log starts after an index. */
  static void create(
      RangeDescriptor descriptor, long appliedIndex, long clockMillis, KvBatch batch) {
    RangeKeys keys = new RangeKeys(descriptor.id().number());
    batch.put(keys.descriptor(), RangeDescriptorCodec.encode(descriptor));
    batch.put(keys.progress(), encodeProgress(appliedIndex, clockMillis, 1));
  }

  /**
   * Loads a range's rows.
   *
   * @throws MalformedBytesException if they are missing or malformed
   */
  static RangeState load(RangeId id, KvReader rows) {
    RangeKeys keys = new RangeKeys(id.number());
    byte[] descriptor = rows.get(keys.descriptor());
    byte[] progress = rows.get(keys.progress());
    if (descriptor == null || progress == null) {
      throw new MalformedBytesException("range " + id + " has no state on this node");
    }
    ByteReader in = new ByteReader(progress);
    StoredFormat.require("progress of range " + id, FORMAT, in);
    long appliedIndex = in.readLong();
    long clockMillis = in.readLong();
    SenderTable senders = new SenderTable(keys, in.readLong());
    in.requireEnd();
    senders.load(rows);
    RangeState state = new RangeState(keys, RangeDescriptorCodec.decode(descriptor), senders);
    state.appliedIndex = appliedIndex;
    state.clockMillis = clockMillis;
    state.children.addAll(children(keys, rows));
    for (long absorbed : AbsorbedRange.absorbedNumbers(keys, rows)) {
      state.childrenOfAbsorbed.addAll(new AbsorbedRange(absorbed).children(rows));
    }
    byte[] frozen = rows.get(keys.frozen());
    state.freezeRecord = frozen == null ? null : FreezeRecord.decode(frozen);
    return state;
  }

  /** Returns the ranges that were split off a range, as of the split. */
  static List<RangeDescriptor> children(RangeKeys keys, KvReader rows) {
    List<RangeDescriptor> found = new ArrayList<>();
    rows.scan(
        keys.childrenFrom(),
        keys.childrenTo(),
        (key, value) -> {
          found.add(RangeDescriptorCodec.decode(value));
          return true;
        });
    return found;
  }

  /** Applies a change of the range. Must be called once the rows are written. */
  void applyChange(RangeChange change) {
    descriptor = change.range();
    freezeRecord = change.frozen();
    if (change instanceof RangeSplit.AppliedSplit split) {
      children.add(split.right());
    } else if (change instanceof RangeMerge.AppliedMerge merge) {
      children.removeIf(child -> child.id().equals(merge.right().id()));
      childrenOfAbsorbed.addAll(merge.children());
    }
  }

  /** Adds the rows of a split. {@link #applyChange} must follow once they are written. */
  void saveSplit(RangeDescriptor left, RangeDescriptor child, KvWriter rows) {
    rows.put(keys.descriptor(), RangeDescriptorCodec.encode(left));
    rows.put(keys.child(child.id().number()), RangeDescriptorCodec.encode(child));
  }

  /**
   * Returns the response to clients with stale routes: together these ranges hold all keys that the
   * range, and those that it has absorbed, ever held.
   */
  List<RangeDescriptor> coveringRanges() {
    List<RangeDescriptor> all = new ArrayList<>(children);
    all.addAll(childrenOfAbsorbed);
    all.add(descriptor);
    return List.copyOf(all);
  }

  /**
   * Returns whether this is an empty replica of a range that does not start empty: only a snapshot
   * can bring it up to date.
   */
  boolean needsSnapshot() {
    return appliedIndex == 0 && descriptor.epoch().version() > RangeEpoch.FIRST.version();
  }

  /** Returns the merge that the range is frozen for; null if it is not frozen. */
  @Nullable FreezeRecord frozen() {
    return freezeRecord;
  }

  RangeKeys keys() {
    return keys;
  }

  RangeDescriptor descriptor() {
    return descriptor;
  }

  SenderTable senders() {
    return senders;
  }

  long appliedIndex() {
    return appliedIndex;
  }

  /** Returns the range's clock: the highest time that a leader has stamped since the last reset. */
  long clockMillis() {
    return clockMillis;
  }

  /**
   * Moves to an entry's index and clock; the clock never runs backwards, even if leaders disagree.
   */
  void advance(long index, long entryClockMillis) {
    appliedIndex = index;
    clockMillis = Math.max(clockMillis, entryClockMillis);
  }

  /**
   * Sets the clock back to that of the entry if it is far ahead of it.
   *
   * @return how far it was set back; 0 if it was not
   */
  long resetClock(long entryClockMillis) {
    long ahead = clockMillis - entryClockMillis;
    if (ahead < MIN_RESET_MILLIS) {
      return 0;
    }
    clockMillis = entryClockMillis;
    return ahead;
  }

  void saveProgress(KvWriter rows) {
    rows.put(keys.progress(), encodeProgress(appliedIndex, clockMillis, senders.nextSender()));
  }

  static long appliedIndexOf(byte[] progress) {
    ByteReader in = new ByteReader(progress);
    StoredFormat.require("progress row", FORMAT, in);
    return in.readLong();
  }

  private static byte[] encodeProgress(long appliedIndex, long clockMillis, long nextSender) {
    ByteWriter out = new ByteWriter(25);
    out.writeByte(FORMAT);
    out.writeLong(appliedIndex);
    out.writeLong(clockMillis);
    out.writeLong(nextSender);
    return out.toByteArray();
  }
}
