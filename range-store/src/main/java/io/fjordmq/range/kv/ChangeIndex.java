package io.fjordmq.range.kv;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A sorted index of changes on top of a base, which reads as the base with the changes applied. A
 * later change of a key replaces the earlier one, and a row that was inserted and deleted leaves no
 * trace. Not thread-safe.
 *
 * <p>A scan sees every change made before it began. Whether it sees changes made by its own visitor
 * is undefined.
 */
final class ChangeIndex implements KvBatch.Sink, KvReader {
  /** Approximate memory of a change in addition to its key and value. */
  private static final int CHANGE_BYTES = 96;

  /**
   * The latest change of a key.
   *
   * @param value null if the key was deleted
   * @param isNew whether the base has no row with this key; then a deletion need not reach the base
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Change(byte @Nullable [] value, boolean isNew) {}

  private final KvReader base;

  /** Keys changed since the last range deletion that covered them. */
  private final NavigableMap<byte[], Change> changes = new TreeMap<>(Arrays::compareUnsigned);

  /** Disjoint intervals (start to end) in which the rows of the base are deleted. */
  private final NavigableMap<byte[], byte[]> hidden = new TreeMap<>(Arrays::compareUnsigned);

  private long bytes;

  ChangeIndex(KvReader base) {
    this.base = base;
  }

  /** Returns the number of bytes of the changes, including the approximate overhead of each. */
  long bytes() {
    return bytes;
  }

  /** Returns the maximum number of bytes that a batch can add to {@link #bytes}. */
  static long maxBytes(KvBatch batch) {
    return batch.bytes() + (long) CHANGE_BYTES * batch.size();
  }

  boolean isEmpty() {
    return changes.isEmpty() && hidden.isEmpty();
  }

  void clear() {
    changes.clear();
    hidden.clear();
    bytes = 0;
  }

  /** Adds all changes to a batch for the base. */
  void writeTo(KvBatch batch) {
    hidden.forEach(batch::deleteRange); // before the rows put there since then
    changes.forEach(
        (key, change) -> {
          if (change.value == null) {
            batch.delete(key);
          } else {
            batch.put(key, change.value);
          }
        });
  }

  @Override
  public void put(byte[] key, byte[] value) {
    Change before = changes.get(key);
    set(key, new Change(value, before != null && before.isNew), before);
  }

  @Override
  public void insert(byte[] key, byte[] value) {
    Change before = changes.get(key);
    set(key, new Change(value, before == null || before.isNew), before);
  }

  @Override
  public void delete(byte[] key) {
    Change before = changes.get(key);
    if (before != null && before.isNew) {
      changes.remove(key);
      bytes -= bytes(key, before);
    } else {
      set(key, new Change(null, false), before);
    }
  }

  private void set(byte[] key, Change change, @Nullable Change before) {
    changes.put(key, change);
    bytes += bytes(key, change) - (before == null ? 0 : bytes(key, before));
  }

  private static long bytes(byte[] key, Change change) {
    return (long) CHANGE_BYTES + key.length + (change.value == null ? 0 : change.value.length);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    NavigableMap<byte[], Change> covered = changes.subMap(from, true, to, false);
    covered.forEach((key, change) -> bytes -= bytes(key, change));
    covered.clear();
    hide(from, to);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    Change change = changes.get(key);
    if (change != null) {
      return change.value == null ? null : change.value.clone();
    }
    return isHidden(key) ? null : base.get(key);
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    Merge merge = new Merge(visitor, changes.ceilingEntry(from), to, true);
    base.scan(from, to, merge);
    merge.drain(null);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    Map.Entry<byte[], Change> last = to == null ? changes.lastEntry() : changes.lowerEntry(to);
    Merge merge = new Merge(visitor, last, from, false);
    base.scanBackwards(from, to, merge);
    merge.drain(null);
  }

  private boolean isHidden(byte[] key) {
    Map.Entry<byte[], byte[]> interval = hidden.floorEntry(key);
    return interval != null && Arrays.compareUnsigned(key, interval.getValue()) < 0;
  }

  private void hide(byte[] from, byte[] to) {
    byte[] start = from;
    byte[] end = to;
    Map.Entry<byte[], byte[]> before = hidden.floorEntry(from);
    if (before != null && Arrays.compareUnsigned(before.getValue(), from) >= 0) {
      start = before.getKey();
      end = max(end, before.getValue());
    }
    Map.Entry<byte[], byte[]> after = hidden.higherEntry(start);
    while (after != null && Arrays.compareUnsigned(after.getKey(), end) <= 0) {
      end = max(end, after.getValue());
      hidden.remove(after.getKey());
      after = hidden.higherEntry(start);
    }
    if (hidden.put(start, end) == null) {
      bytes += CHANGE_BYTES + start.length + end.length;
    }
  }

  private static byte[] max(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) >= 0 ? a : b;
  }

  /**
   * Merges base entries and changed entries into one ordered sequence. Steps through the index by
   * key instead of holding an iterator, because reads by the visitor can update the index.
   */
  private final class Merge implements Visitor {
    private final Visitor visitor;
    private final byte @Nullable [] bound;
    private final boolean ascending;
    private Map.@Nullable Entry<byte[], Change> next;
    private boolean stopped;

    Merge(
        Visitor visitor,
        Map.@Nullable Entry<byte[], Change> first,
        byte @Nullable [] bound,
        boolean ascending) {
      this.visitor = visitor;
      this.next = first;
      this.bound = bound;
      this.ascending = ascending;
    }

    @Override
    public boolean visit(byte[] key, byte[] value) {
      drain(key);
      if (stopped) {
        return false;
      }
      Map.Entry<byte[], Change> changed = next;
      if (changed != null && Arrays.equals(changed.getKey(), key)) {
        return true; // visited by the next drain
      }
      if (!isHidden(key)) {
        stopped = !visitor.visit(key, value);
      }
      return !stopped;
    }

    /** Visits the changed entries before the key, or all remaining ones if it is null. */
    void drain(byte @Nullable [] key) {
      while (!stopped && next != null && inBounds(next.getKey()) && precedes(next.getKey(), key)) {
        Map.Entry<byte[], Change> entry = next;
        byte[] value = entry.getValue().value;
        if (value != null) {
          stopped = !visitor.visit(entry.getKey().clone(), value.clone());
        }
        next = ascending ? changes.higherEntry(entry.getKey()) : changes.lowerEntry(entry.getKey());
      }
    }

    private boolean inBounds(byte[] key) {
      if (bound == null) {
        return true;
      }
      int order = Arrays.compareUnsigned(key, bound);
      return ascending ? order < 0 : order >= 0;
    }

    private boolean precedes(byte[] key, byte @Nullable [] end) {
      if (end == null) {
        return true;
      }
      int order = Arrays.compareUnsigned(key, end);
      return ascending ? order < 0 : order > 0;
    }
  }
}
