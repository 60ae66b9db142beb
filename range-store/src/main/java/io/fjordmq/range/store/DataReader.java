package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Reads a range's data on behalf of its coprocessor: without the key prefix, and limited to the
 * range's interval. Reads count as load of the range while load is being measured; a scan counts at
 * its first key.
 */
final class DataReader implements KvReader {
  private final KvReader rows;
  private final KeyInterval interval;
  private final @Nullable ReplicaLoad load;

  /** Creates a reader whose reads do not count as load, because no client requested them. */
  DataReader(KvReader rows, KeyInterval interval) {
    this(rows, interval, null);
  }

  DataReader(KvReader rows, KeyInterval interval, @Nullable ReplicaLoad load) {
    this.rows = rows;
    this.interval = interval;
    this.load = load;
  }

  private void recordAccess(byte[] key) {
    if (load != null) {
      load.recordAccess(key);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    if (!interval.contains(key)) {
      return null;
    }
    recordAccess(key);
    return rows.get(RangeKeys.data(key));
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    byte[] first = first(from);
    byte[] last = last(to);
    if (Arrays.compareUnsigned(first, last) < 0) {
      recordAccess(clampStart(from));
      rows.scan(first, last, withoutPrefix(visitor));
    }
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    byte[] first = first(from);
    byte[] last = last(to);
    if (Arrays.compareUnsigned(first, last) < 0) {
      recordAccess(clampStart(from));
      rows.scanBackwards(first, last, withoutPrefix(visitor));
    }
  }

  private byte[] first(byte[] from) {
    return RangeKeys.data(clampStart(from));
  }

  private byte[] clampStart(byte[] from) {
    byte[] start = interval.start();
    return Arrays.compareUnsigned(from, start) < 0 ? start : from;
  }

  private byte[] last(byte @Nullable [] to) {
    byte[] end = interval.end();
    boolean isBeyondEnd = to == null || (end != null && Arrays.compareUnsigned(to, end) > 0);
    return RangeKeys.dataEnd(isBeyondEnd ? end : to);
  }

  private static Visitor withoutPrefix(Visitor visitor) {
    return (key, value) -> visitor.visit(Arrays.copyOfRange(key, 1, key.length), value);
  }
}
