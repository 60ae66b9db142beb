package io.fjordmq.range.placement;

import io.fjordmq.api.ByteReader;
import io.fjordmq.api.ByteWriter;
import io.fjordmq.api.MalformedBytesException;
import io.fjordmq.api.NewerFormException;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.store.LedRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What the node that leads a range says of its load and of what should become of it.
 *
 * <pre>
 * varint seconds
 * varint requests
 * varint writes
 * varint busy
 * varint nanos
 * varint bytes
 * text   decision
 * u8     wish: 0 none, 1 split, 2 merge, 3 it is idle
 * -- split: block key
 * </pre>
 *
 * @param seconds for which it has been measured in this shape by this node
 * @param requests commands and queries per second, mean of the latest seconds
 * @param writes of them, commands: what every voter has to do; a node of an earlier version does
 *     not say, then all requests count
 * @param busyPermille of each second, in which its apply thread worked
 * @param nanos that a command kept the apply thread waiting for storage
 * @param bytes that it holds, estimated; 0 if that is not known, or a node of an earlier version
 *     does not say
 * @param decision what was decided, as the metric {@code fjordmq_range_decisions_total} names it
 * @param splitOff keys that a new range should have, up to the end of this one; null if it is not
 *     to be split
 * @param merge it should become one with the range that follows, which the same node leads
 * @param idle it may become one with a neighbour that is as idle, whoever leads that; not said
 *     where one of the others is
 */
public record ShapeReport(
    long seconds,
    long requests,
    long writes,
    int busyPermille,
    long nanos,
    long bytes,
    String decision,
    @Nullable KeyInterval splitOff,
    boolean merge,
    boolean idle) {
  private static final int NO_WISH = 0;
  private static final int SPLIT = 1;
  private static final int MERGE = 2;
  private static final int IDLE = 3;

  /** Of a range whose size is not known. */
  public ShapeReport(
      long seconds,
      long requests,
      long writes,
      int busyPermille,
      long nanos,
      String decision,
      @Nullable KeyInterval splitOff,
      boolean merge,
      boolean idle) {
    this(seconds, requests, writes, busyPermille, nanos, 0, decision, splitOff, merge, idle);
  }

  static ShapeReport of(
      LedRange range,
      RangeSize size,
      String decision,
      @Nullable KeyInterval splitOff,
      boolean merge,
      boolean idle) {
    RangeLoad load = range.load();
    return new ShapeReport(
        load.age().toSeconds(),
        Math.round(load.requests().mean()),
        Math.round(range.writes()),
        (int) Math.round(load.busy().mean() * 1_000),
        Math.round(load.ioNanos()),
        Math.max(0, size.bytes()),
        decision,
        splitOff,
        merge,
        idle && !merge && splitOff == null);
  }

  /** Whether it was measured in this shape of the range. */
  boolean fits(KeyInterval keys) {
    return splitOff == null
        || (keys.contains(splitOff.start()) && Arrays.equals(keys.end(), splitOff.end()));
  }

  void write(ByteWriter out) {
    out.writeVarint(seconds)
        .writeVarint(requests)
        .writeVarint(writes)
        .writeVarint(busyPermille)
        .writeVarint(nanos)
        .writeVarint(bytes)
        .writeString(decision);
    if (splitOff != null) {
      out.writeByte(SPLIT).writeBlock(splitOff.start());
    } else if (merge) {
      out.writeByte(MERGE);
    } else {
      out.writeByte(idle ? IDLE : NO_WISH);
    }
  }

  /**
   * @param keys of the range
   * @param format of the {@link RangeReports} that it is part of
   */
  static ShapeReport read(ByteReader in, KeyInterval keys, int format) {
    long seconds = in.readVarint();
    long requests = in.readVarint();
    long writes = format > RangeReports.WITHOUT_WRITES ? in.readVarint() : requests;
    int busy = (int) Math.min(1_000, in.readVarint());
    long nanos = in.readVarint();
    long bytes = format > RangeReports.WITHOUT_BYTES ? in.readVarint() : 0;
    String decision = in.readString();
    int wish = in.readByte();
    KeyInterval splitOff = null;
    if (wish == SPLIT) {
      byte[] key = in.readBlock();
      if (!keys.contains(key)) {
        throw new MalformedBytesException("a range is to be split outside its keys");
      }
      splitOff = new KeyInterval(key, keys.end());
    } else if (wish > IDLE) {
      throw NewerFormException.unknownKind("wish of a range", wish);
    }
    return new ShapeReport(
        seconds,
        requests,
        writes,
        busy,
        nanos,
        bytes,
        decision,
        splitOff,
        wish == MERGE,
        wish == IDLE);
  }
}
