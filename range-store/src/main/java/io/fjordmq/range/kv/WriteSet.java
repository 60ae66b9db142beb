package io.fjordmq.range.kv;

import org.jspecify.annotations.Nullable;

/**
 * Collects changes to a base without writing them to it. Reads see the base with the changes made
 * so far.
 *
 * <p>A scan sees every change made before it began. Whether it sees changes made by its own visitor
 * is undefined.
 */
public final class WriteSet implements KvWriter {
  /*
   * The hot path consists of puts without reads, so a change is only appended to the batch. The
   * sorted index of the changes is brought up to date by the next read.
   */
  private final KvReader base;
  private final KvBatch batch;
  private final ChangeIndex index;

  /** Number of changes of the batch that are already in the index. */
  private int indexed;

  /**
   * @param batch receives the changes; reads also see the changes that it already contains
   */
  public WriteSet(KvReader base, KvBatch batch) {
    this.base = base;
    this.batch = batch;
    this.index = new ChangeIndex(base);
  }

  /** Must be called after the batch has been written or discarded, and cleared. */
  public void reset() {
    indexed = 0;
    index.clear();
  }

  @Override
  public void put(byte[] key, byte[] value) {
    batch.put(key, value);
  }

  @Override
  public void insert(byte[] key, byte[] value) {
    batch.insert(key, value);
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
    return current().get(key);
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    current().scan(from, to, visitor);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    current().scanBackwards(from, to, visitor);
  }

  private KvReader current() {
    if (batch.size() == 0) {
      return base;
    }
    if (indexed < batch.size()) {
      batch.replay(indexed, index);
      indexed = batch.size();
    }
    return index;
  }
}
