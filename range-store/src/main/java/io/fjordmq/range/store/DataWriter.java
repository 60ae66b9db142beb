package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.kv.KvWriter;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Changes a range's data on behalf of its coprocessor. Throws on a write outside the range's
 * interval, because it would corrupt another range.
 */
final class DataWriter implements KvWriter {
  private final KvWriter rows;
  private final KeyInterval interval;
  private final ReplicaLoad load;
  private final DataReader reader;

  /**
   * @param load counts reads and writes
   */
  DataWriter(KvWriter rows, KeyInterval interval, ReplicaLoad load) {
    this.rows = rows;
    this.interval = interval;
    this.load = load;
    this.reader = new DataReader(rows, interval, load);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    rows.put(RangeKeys.data(requireInside(key)), value);
  }

  @Override
  public void insert(byte[] key, byte[] value) {
    rows.insert(RangeKeys.data(requireInside(key)), value);
  }

  @Override
  public void delete(byte[] key) {
    rows.delete(RangeKeys.data(requireInside(key)));
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    byte[] end = interval.end();
    if (Arrays.compareUnsigned(from, to) >= 0) {
      return;
    }
    if (end != null && Arrays.compareUnsigned(to, end) > 0) {
      throw outside(to);
    }
    rows.deleteRange(RangeKeys.data(requireInside(from)), RangeKeys.data(to));
  }

  private byte[] requireInside(byte[] key) {
    if (!interval.contains(key)) {
      throw outside(key);
    }
    load.recordAccess(key);
    return key;
  }

  private IllegalArgumentException outside(byte[] key) {
    return new IllegalArgumentException(
        "coprocessor wrote outside its interval "
            + interval
            + ": key "
            + java.util.HexFormat.of().formatHex(key));
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return reader.get(key);
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    reader.scan(from, to, visitor);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    reader.scanBackwards(from, to, visitor);
  }
}
