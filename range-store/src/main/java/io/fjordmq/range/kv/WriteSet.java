package io.fjordmq.range.kv;

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
   * picture of the changes is brought up to date when something is read.
   */
  private final KvReader base;
  private final KvBatch batch;
  private final ChangeIndex index;

  /** Changes of the batch that the index already shows. */
  private int indexed;

  /**
   * @param batch receives the changes; what it holds already counts as changed here
   */
  public WriteSet(KvReader base, KvBatch batch) {
    this.base = base;
    this.batch = batch;
    this.index = new ChangeIndex(base);
  }

  /** To be called when the batch has been written or thrown away and was cleared. */
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
