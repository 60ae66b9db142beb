package io.fjordmq.range.store;

import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvSpace;
import java.io.IOException;

/**
 * Writes the rows that a store of a new cluster begins with, before its ranges exist. Loading the
 * same rows again has no effect. Not thread-safe; blocks.
 */
public final class RowLoader {
  private static final long BATCH_BYTES = 1 << 20;

  private final KvSpace space;
  private final KvBatch batch = new KvBatch();

  RowLoader(KvSpace space) {
    this.space = space;
  }

  /** Adds a row; {@link #finish} must follow the last one. */
  public void put(byte[] key, byte[] value) throws IOException {
    batch.put(RangeKeys.data(key), value);
    if (batch.bytes() >= BATCH_BYTES) {
      finish();
    }
  }

  /** Writes all rows that were added. */
  public void finish() throws IOException {
    try {
      space.write(batch);
    } catch (KvException e) {
      throw new IOException("cannot load rows into " + space.name() + ": " + e.getMessage(), e);
    }
    batch.clear();
  }
}
