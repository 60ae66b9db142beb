package io.fjordmq.range.placement;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.common.ByteReader;
import io.fjordmq.common.ByteWriter;
import io.fjordmq.common.MalformedBytesException;
import io.fjordmq.common.NewerFormatException;
import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.store.LedRange;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The report of a range's leader about the load of the range, and whether it should be split or
 * merged.
 *
 * <pre>
 * varint seconds
 * varint requests
 * varint writes
 * varint busy
 * varint nanos
 * varint bytes
 * text   decision
 * u8     request: 0 none, 1 split, 2 merge, 3 it is idle
 * -- split: block key
 * </pre>
 *
 * @param seconds how long this node has measured the range with its current epoch
 * @param requests commands and queries per second, mean of the latest seconds
 * @param writes commands among the requests, which every voter has to execute; nodes of earlier
 *     versions do not report them, and all their requests count as writes
 * @param busyPermille share of each second in which the apply thread was busy
 * @param storageNanosPerCommand how long a command kept the apply thread waiting for storage
 * @param bytes estimated size of the range; 0 if it is unknown, or the node has an earlier version
 * @param decision the decision, as the metric {@code fjordmq_range_decisions_total} names it
 * @param splitOff keys of the requested new range, up to the end of this one; null if no split is
 *     requested
 * @param mergeRequested whether the range should be merged with the next one, which the same node
 *     leads
 * @param idle whether the range can be merged with a neighbor that is also idle, whichever node
 *     leads that; false where a split or merge is requested
 */
public record RangeLoadReport(
    long seconds,
    long requests,
    long writes,
    int busyPermille,
    long storageNanosPerCommand,
    long bytes,
    String decision,
    @Nullable KeyInterval splitOff,
    boolean mergeRequested,
    boolean idle) {
  private static final int NO_REQUEST = 0;
  private static final int SPLIT = 1;
  private static final int MERGE = 2;
  private static final int IDLE = 3;

  /** Creates a report without the size of the range. */
  public RangeLoadReport(
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

  static RangeLoadReport of(
      LedRange range,
      RangeSize size,
      String decision,
      @Nullable KeyInterval splitOff,
      boolean merge,
      boolean idle) {
    RangeLoad load = range.load();
    return new RangeLoadReport(
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

  /** Returns whether the report was made for this key interval. */
  boolean isMeasuredFor(KeyInterval keys) {
    return splitOff == null
        || (keys.contains(splitOff.start()) && Arrays.equals(keys.end(), splitOff.end()));
  }

  void write(ByteWriter out) {
    out.writeVarint(seconds)
        .writeVarint(requests)
        .writeVarint(writes)
        .writeVarint(busyPermille)
        .writeVarint(storageNanosPerCommand)
        .writeVarint(bytes)
        .writeString(decision);
    if (splitOff != null) {
      out.writeByte(SPLIT).writeBlock(splitOff.start());
    } else if (mergeRequested) {
      out.writeByte(MERGE);
    } else {
      out.writeByte(idle ? IDLE : NO_REQUEST);
    }
  }

  /**
   * @param keys keys of the range
   * @param format format of the {@link RangeReports} that contain it
   */
  static RangeLoadReport read(ByteReader in, KeyInterval keys, int format) {
    long seconds = in.readVarint();
    long requests = in.readVarint();
    long writes = format > RangeReports.FORMAT_WITHOUT_WRITES ? in.readVarint() : requests;
    int busy = (int) Math.min(1_000, in.readVarint());
    long nanos = in.readVarint();
    long bytes = format > RangeReports.FORMAT_WITHOUT_BYTES ? in.readVarint() : 0;
    String decision = in.readString();
    int request = in.readByte();
    KeyInterval splitOff = null;
    if (request == SPLIT) {
      byte[] key = in.readBlock();
      if (!keys.contains(key)) {
        throw new MalformedBytesException("requested split key is outside the range");
      }
      splitOff = new KeyInterval(key, keys.end());
    } else if (request > IDLE) {
      throw NewerFormatException.unknownKind("request from a range leader", request);
    }
    return new RangeLoadReport(
        seconds,
        requests,
        writes,
        busy,
        nanos,
        bytes,
        decision,
        splitOff,
        request == MERGE,
        request == IDLE);
  }
}
