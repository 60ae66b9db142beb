package io.fjordmq.range.store;

import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;
import org.jspecify.annotations.Nullable;

/**
 * A consistent view that is created by the first read, so that queries served from memory do not
 * pay for it. Not thread-safe.
 */
final class LazySnapshot implements KvSnapshot {
  private final KvSpace space;
  private @Nullable KvSnapshot snapshot;

  LazySnapshot(KvSpace space) {
    this.space = space;
  }

  private KvReader open() {
    KvSnapshot opened = snapshot;
    if (opened == null) {
      opened = space.snapshot();
      snapshot = opened;
    }
    return opened;
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    return open().get(key);
  }

  @Override
  public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
    open().scan(from, to, visitor);
  }

  @Override
  public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
    open().scanBackwards(from, to, visitor);
  }

  @Override
  public void close() {
    KvSnapshot opened = snapshot;
    if (opened != null) {
      opened.close();
    }
  }
}
