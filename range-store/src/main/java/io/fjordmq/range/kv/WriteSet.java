package io.fjordmq.range.kv;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Changes collected over a base that they do not touch yet. Reads see the base with the changes
 * made so far.
 *
 * <p>A scan sees every change made before it began; whether it sees those made by its own visitor
 * is not defined.
 */
public final class WriteSet implements KvWriter {
  /*
   * The hot path is puts without reads, so a change only goes to the end of the batch. The sorted
   * picture of the changes (index, hidden) is brought up to date when something is read.
   */

  /** Stands for "deleted" in the index. Compared by identity. */
  private static final byte[] DELETED = new byte[0];

  private final KvReader base;
  private final KvBatch batch;

  /** Changes of the batch that index and hidden already show. */
  private int indexed;

  /** Keys changed since they were last covered by a range deletion. */
  private final NavigableMap<byte[], byte[]> index = new TreeMap<>(Arrays::compareUnsigned);

  /** Disjoint intervals (start to end) in which nothing of the base is left. */
  private final NavigableMap<byte[], byte[]> hidden = new TreeMap<>(Arrays::compareUnsigned);

  private final KvBatch.Sink indexer =
      new KvBatch.Sink() {
        @Override
        public void put(byte[] key, byte[] value) {
          index.put(key, value);
        }

        @Override
        public void delete(byte[] key) {
          index.put(key, DELETED);
        }

        @Override
        public void deleteRange(byte[] from, byte[] to) {
          index.subMap(from, true, to, false).clear();
          hide(from, to);
        }
      };

  /**
   * @param batch receives the changes; what it holds already counts as changed here
   */
  public WriteSet(KvReader base, KvBatch batch) {
    this.base = base;
    this.batch = batch;
  }

  /** To be called when the batch has been written or thrown away and was cleared. */
  public void reset() {
    indexed = 0;
    index.clear();
    hidden.clear();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    batch.put(key, value);
  }

  @Override
  public void delete(byte[] key) {
    batch.delete(key);
  }

  @Override
  public void deleteRange(byte[] from, byte[] to) {
    batch.deleteRange(from, to);
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    if (batch.size() == 0) {
      return base.get(key);
    }
    catchUp();
    byte[] changed = index.get(key);
    if (changed != null) {
      return changed == DELETED ? null : changed.clone();
    }
    return isHidden(key) ? null : base.get(key);
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    if (batch.size() == 0) {
      base.scan(from, to, visitor);
      return;
    }
    catchUp();
    Merge merge = new Merge(visitor, index.ceilingEntry(from), to, true);
    base.scan(from, to, merge);
    merge.drain(null);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    if (batch.size() == 0) {
      base.scanBackwards(from, to, visitor);
      return;
    }
    catchUp();
    Map.Entry<byte[], byte[]> last = to == null ? index.lastEntry() : index.lowerEntry(to);
    Merge merge = new Merge(visitor, last, from, false);
    base.scanBackwards(from, to, merge);
    merge.drain(null);
  }

  private void catchUp() {
    if (indexed < batch.size()) {
      batch.replay(indexed, indexer);
      indexed = batch.size();
    }
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
    hidden.put(start, end);
  }

  private static byte[] max(byte[] one, byte[] other) {
    return Arrays.compareUnsigned(one, other) >= 0 ? one : other;
  }

  /**
   * Visits base entries and changed entries as one ordered sequence. Steps through the index by key
   * instead of holding an iterator: the visitor may read and thereby change the index.
   */
  private final class Merge implements Visitor {
    private final Visitor visitor;
    private final byte @Nullable [] bound;
    private final boolean ascending;
    private Map.@Nullable Entry<byte[], byte[]> next;
    private boolean stopped;

    Merge(
        Visitor visitor,
        Map.@Nullable Entry<byte[], byte[]> first,
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
      Map.Entry<byte[], byte[]> changed = next;
      if (changed != null && Arrays.equals(changed.getKey(), key)) {
        return true; // its turn comes with the next drain
      }
      if (!isHidden(key)) {
        stopped = !visitor.visit(key, value);
      }
      return !stopped;
    }

    /** Visits the changed entries before the key; all that are left if it is null. */
    void drain(byte @Nullable [] key) {
      while (!stopped && next != null && inBounds(next.getKey()) && precedes(next.getKey(), key)) {
        Map.Entry<byte[], byte[]> entry = next;
        if (entry.getValue() != DELETED) {
          stopped = !visitor.visit(entry.getKey().clone(), entry.getValue().clone());
        }
        next = ascending ? index.higherEntry(entry.getKey()) : index.lowerEntry(entry.getKey());
      }
    }

    private boolean inBounds(byte[] key) {
      if (bound == null) {
        return true;
      }
      int order = Arrays.compareUnsigned(key, bound);
      return ascending ? order < 0 : order >= 0;
    }

    private boolean precedes(byte[] key, byte @Nullable [] other) {
      if (other == null) {
        return true;
      }
      int order = Arrays.compareUnsigned(key, other);
      return ascending ? order < 0 : order > 0;
    }
  }
}
