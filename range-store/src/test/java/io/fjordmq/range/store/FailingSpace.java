package io.fjordmq.range.store;

import io.fjordmq.range.kv.KvBatch;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.kv.KvReader;
import io.fjordmq.range.kv.KvSnapshot;
import io.fjordmq.range.kv.KvSpace;

/** A space whose disk fails after a number of writes. */
final class FailingSpace implements KvSpace {
  private final KvSpace space;
  private int writesLeft;

  FailingSpace(KvSpace space, int writes) {
    this.space = space;
    this.writesLeft = writes;
  }

  @Override
  public String name() {
    return space.name();
  }

  @Override
  public KvReader latest() {
    return space.latest();
  }

  @Override
  public KvSnapshot snapshot() {
    return space.snapshot();
  }

  @Override
  public long approximateBytes(byte[] from, byte[] to) {
    return space.approximateBytes(from, to);
  }

  @Override
  public void write(KvBatch batch) {
    if (writesLeft-- <= 0) {
      throw new KvException(KvException.Kind.IO_ERROR, "simulated");
    }
    space.write(batch);
  }
}
