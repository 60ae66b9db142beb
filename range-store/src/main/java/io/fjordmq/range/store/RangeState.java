package io.fjordmq.range.store;

import io.fjordmq.range.ByteReader;
import io.fjordmq.range.ByteWriter;
import io.fjordmq.range.CorruptDataException;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeDescriptorCodec;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvWriter;

/**
 * The engine's own part of a range's state, in memory and as rows. Used by the apply thread.
 *
 * <p>The progress row:
 *
 * <pre>
 * u8   format, 1
 * u64  applied index
 * u64  clock in milliseconds since the epoch, the highest a leader stamped
 * u64  next sender
 * </pre>
 */
final class RangeState {
  private static final int FORMAT = 1;

  private final RangeKeys keys;
  private final RangeDescriptor descriptor;
  private final SenderTable senders;
  private long appliedIndex;
  private long clockMillis;

  private RangeState(RangeKeys keys, RangeDescriptor descriptor, SenderTable senders) {
    this.keys = keys;
    this.descriptor = descriptor;
    this.senders = senders;
  }

  /** Adds the rows of a range to which nothing was applied yet. */
  static void create(RangeDescriptor descriptor, KvBatch batch) {
    RangeKeys keys = new RangeKeys(descriptor.id().number());
    batch.put(keys.descriptor(), RangeDescriptorCodec.encode(descriptor));
    batch.put(keys.progress(), encodeProgress(0, 0, 1));
  }

  /**
   * Reads a range's rows.
   *
   * @throws CorruptDataException if they are missing or are not what they should be
   */
  static RangeState load(RangeId id, KvReader rows) {
    RangeKeys keys = new RangeKeys(id.number());
    byte[] descriptor = rows.get(keys.descriptor());
    byte[] progress = rows.get(keys.progress());
    if (descriptor == null || progress == null) {
      throw new CorruptDataException("range " + id + " has no state on this node");
    }
    ByteReader in = new ByteReader(progress);
    in.format("progress of range " + id, FORMAT);
    long appliedIndex = in.u64();
    long clockMillis = in.u64();
    SenderTable senders = new SenderTable(keys, in.u64());
    in.expectEnd("progress of range " + id);
    senders.load(rows);
    RangeState state = new RangeState(keys, RangeDescriptorCodec.decode(descriptor), senders);
    state.appliedIndex = appliedIndex;
    state.clockMillis = clockMillis;
    return state;
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

  void saveProgress(KvWriter rows) {
    rows.put(keys.progress(), encodeProgress(appliedIndex, clockMillis, senders.nextSender()));
  }

  static long appliedIndexOf(byte[] progress) {
    ByteReader in = new ByteReader(progress);
    in.format("progress row", FORMAT);
    return in.u64();
  }

  private static byte[] encodeProgress(long appliedIndex, long clockMillis, long nextSender) {
    ByteWriter out = new ByteWriter(25);
    out.u8(FORMAT);
    out.u64(appliedIndex);
    out.u64(clockMillis);
    out.u64(nextSender);
    return out.toByteArray();
  }
}
