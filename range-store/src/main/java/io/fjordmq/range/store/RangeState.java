package io.fjordmq.range.store;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
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
 * u64  clock in milliseconds since the epoch, the highest a leader stamped since it was lowered
 * u64  next sender
 * </pre>
 */
final class RangeState {
  /**
   * The log of every range begins after this index, not with nothing: a replica that is to join has
   * to begin with a snapshot, whatever the range inherited.
   */
  static final long BEGINNING = 10;

  /** A clock is lowered if it is this far ahead; replicas must agree on it, so it is no setting. */
  static final long AHEAD_MILLIS = 5_000;

  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final SenderTable senders;

  /** Ranges that were split off, as they were then. */
  private final List<RangeDescriptor> children = new ArrayList<>();

  /** The same of the ranges that became part of this one. */
  private final List<RangeDescriptor> childrenOfParts = new ArrayList<>();

  private RangeDescriptor descriptor;
  private long appliedIndex;
  private long clockMillis;
  private @Nullable FreezeRecord freezeRecord;

  private RangeState(RangeKeys keys, RangeDescriptor descriptor, SenderTable senders) {
    this.keys = keys;
    this.descriptor = descriptor;
    this.senders = senders;
  }

  /** Adds the rows of a replica to which nothing was applied yet. */
  static void create(RangeDescriptor descriptor, KvBatch batch) {
    create(descriptor, 0, 0, batch);
  }

  /** Adds the rows of a replica of a range that begins after an index. */
  static void create(
      RangeDescriptor descriptor, long appliedIndex, long clockMillis, KvBatch batch) {
    RangeKeys keys = new RangeKeys(descriptor.id().number());
    batch.put(keys.descriptor(), RangeDescriptorCodec.encode(descriptor));
    batch.put(keys.progress(), encodeProgress(appliedIndex, clockMillis, 1));
  }

  /**
   * Reads a range's rows.
   *
   * @throws MalformedBytesException if they are missing or are not what they should be
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
    for (long part : AbsorbedRange.parts(keys, rows)) {
      state.childrenOfParts.addAll(new AbsorbedRange(part).children(rows));
    }
    byte[] frozen = rows.get(keys.frozen());
    state.freezeRecord = frozen == null ? null : FreezeRecord.decode(frozen);
    return state;
  }

  /** The ranges that were split off a range, as they were then. */
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

  /** The range has another shape; to be called once that is written. */
  void become(ShapeChange change) {
    descriptor = change.range();
    freezeRecord = change.frozen();
    if (change instanceof RangeSplit.Cut cut) {
      children.add(cut.right());
    } else if (change instanceof RangeMerge.Widened widened) {
      children.removeIf(child -> child.id().equals(widened.right().id()));
      childrenOfParts.addAll(widened.children());
    }
  }

  /** Adds the rows that say so; {@link #become} follows once they are written. */
  void saveSplit(RangeDescriptor left, RangeDescriptor child, KvWriter rows) {
    rows.put(keys.descriptor(), RangeDescriptorCodec.encode(left));
    rows.put(keys.child(child.id().number()), RangeDescriptorCodec.encode(child));
  }

  /**
   * For who routed by an older shape: together they hold all that the range, and those that became
   * part of it, ever held.
   */
  List<RangeDescriptor> shape() {
    List<RangeDescriptor> all = new ArrayList<>(children);
    all.addAll(childrenOfParts);
    all.add(descriptor);
    return List.copyOf(all);
  }

  /**
   * Whether it is an empty replica of a range that does not begin with nothing: only a snapshot can
   * bring it up to date.
   */
  boolean isVacant() {
    return appliedIndex == 0 && descriptor.epoch().version() > RangeEpoch.FIRST.version();
  }

  /** For which merge the range stands still; null if it does not. */
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

  /** Highest clock stamped by a leader; what {@code now} is for the range. */
  long clockMillis() {
    return clockMillis;
  }

  /** Takes over an entry's position and clock; clocks of changing leaders may run backwards. */
  void advance(long index, long entryClockMillis) {
    appliedIndex = index;
    clockMillis = Math.max(clockMillis, entryClockMillis);
  }

  /**
   * Sets the clock back to that of the entry if it is far ahead of it.
   *
   * @return by how much; 0 if it is not
   */
  long lowerClock(long entryClockMillis) {
    long ahead = clockMillis - entryClockMillis;
    if (ahead < AHEAD_MILLIS) {
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
