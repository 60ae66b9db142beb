package io.fjordmq.range.sim;

import io.fjordmq.range.ApplyContext;
import io.fjordmq.range.kv.KvWriter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The rows of a follower's replica, and the context of the entry that is applied. */
final class FollowerRows implements KvWriter, ApplyContext {
  private final NavigableMap<byte[], byte[]> rows = new TreeMap<>(Arrays::compareUnsigned);
  private long nowMillis;
  private long index;

  /** Sets the entry that is applied next. */
  void setEntry(long entryIndex, long entryMillis) {
    index = entryIndex;
    nowMillis = entryMillis;
  }

  @Override
  public long nowMillis() {
    return nowMillis;
  }

  @Override
  public int level() {
    return 1;
  }

  @Override
  public long index() {
    return index;
  }

  @Override
  public long epochVersion() {
    return 1;
  }

  @Override
  public KvWriter state() {
    return this;
  }

  /** Effects are performed only by leaders. */
  @Override
  public void emit(Object effect) {}

  @Override
  public byte @Nullable [] get(byte[] key) {
    return rows.get(key);
  }

  @Override
  public void put(byte[] key, byte[] value) {
    rows.put(key.clone(), value.clone());
  }

  @Override
  public void insert(byte[] key, byte[] value) {
    put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    rows.remove(key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    rows.subMap(from, to).clear();
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    visit(to == null ? rows.tailMap(from, true) : rows.subMap(from, true, to, false), visitor);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    NavigableMap<byte[], byte[]> part =
        to == null ? rows.tailMap(from, true) : rows.subMap(from, true, to, false);
    visit(part.descendingMap(), visitor);
  }

  private static void visit(Map<byte[], byte[]> part, Visitor visitor) {
    for (Map.Entry<byte[], byte[]> row : new ArrayList<>(part.entrySet())) {
      if (!visitor.visit(row.getKey(), row.getValue())) {
        return;
      }
    }
  }
}
