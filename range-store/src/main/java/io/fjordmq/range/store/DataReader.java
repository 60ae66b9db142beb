package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvReader;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A range's data as its coprocessor sees it: without prefix, and nothing of other ranges. */
final class DataReader implements KvReader {
  private final KvReader rows;
  private final KeyInterval interval;

  DataReader(KvReader rows, KeyInterval interval) {
    this.rows = rows;
    this.interval = interval;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return interval.contains(key) ? rows.get(RangeKeys.data(key)) : null;
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    byte[] first = first(from);
    byte[] last = last(to);
    if (Arrays.compareUnsigned(first, last) < 0) {
      rows.scan(first, last, stripping(visitor));
    }
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    byte[] first = first(from);
    byte[] last = last(to);
    if (Arrays.compareUnsigned(first, last) < 0) {
      rows.scanBackwards(first, last, stripping(visitor));
    }
  }

  private byte[] first(byte[] from) {
    byte[] start = interval.start();
    return RangeKeys.data(Arrays.compareUnsigned(from, start) < 0 ? start : from);
  }

  private byte[] last(byte @Nullable [] to) {
    byte[] end = interval.end();
    boolean beyond = to == null || (end != null && Arrays.compareUnsigned(to, end) > 0);
    return RangeKeys.dataEnd(beyond ? end : to);
  }

  private static Visitor stripping(Visitor visitor) {
    return (key, value) -> visitor.visit(Arrays.copyOfRange(key, 1, key.length), value);
  }
}
