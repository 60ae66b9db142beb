package io.fjordmq.range.kv;

import org.jspecify.annotations.Nullable;

/**
 * A space whose writes are collected in memory and reach the space beneath many at a time. What was
 * inserted and deleted in between never does. Thread-safe; nothing else may write to that space.
 *
 * <p>To a crash this is one more memtable: as a {@link Kv} promises nothing before a flush, nothing
 * is lost that the space would have kept for certain. {@link #writeOut} has to come before a flush.
 */
final class WriteBehind implements KvSpace {
  /*
   * Writes arrive whole and leave together, so the space beneath always shows the state after some
   * write. A snapshot is one of that space: what waits is written out before.
   */
  private final KvSpace space;
  private final long maxBytes;
  private final ChangeIndex waiting;
  private final KvReader latest = new Latest();
  private volatile long waitingBytes;
  private boolean closed;

  /**
   * @param maxBytes that may wait; before a write that would make it more, all is written out
   */
  WriteBehind(KvSpace space, long maxBytes) {
    this.space = space;
    this.maxBytes = maxBytes;
    this.waiting = new ChangeIndex(space.latest());
  }

  @Override
  public String name() {
    return space.name();
  }

  @Override
  public KvReader latest() {
    return latest;
  }

  @Override
  public synchronized KvSnapshot snapshot() {
    writeOut();
    return space.snapshot();
  }

  @Override
  public synchronized KvSnapshot boundedSnapshot(long maxSkipped) {
    writeOut();
    return space.boundedSnapshot(maxSkipped);
  }

  /** Without what waits. */
  @Override
  public long approximateBytes(byte[] from, byte[] to) {
    return space.approximateBytes(from, to);
  }

  @Override
  public synchronized void write(KvBatch batch) {
    if (closed) {
      throw new KvException(KvException.Kind.CLOSED, "state storage is closed");
    }
    long most = ChangeIndex.mostBytes(batch);
    if (waiting.bytes() + most > maxBytes) {
      writeOut(); // if that fails, nothing of the batch was taken
    }
    if (most > maxBytes) {
      space.write(batch);
    } else {
      batch.replay(0, waiting);
      waitingBytes = waiting.bytes();
    }
  }

  /**
   * Writes what waits.
   *
   * @throws KvException if it was not written; it waits on
   */
  synchronized void writeOut() {
    if (waiting.isEmpty()) {
      return;
    }
    KvBatch batch = new KvBatch();
    waiting.writeTo(batch);
    space.write(batch);
    waiting.clear();
    waitingBytes = 0;
  }

  /** Bytes that wait, and roughly of what holds them. */
  long waitingBytes() {
    return waitingBytes;
  }

  /** Takes no more writes. */
  synchronized void close() {
    closed = true;
  }

  private final class Latest implements KvReader {
    @Override
    public byte @Nullable [] get(byte[] key) {
      synchronized (WriteBehind.this) {
        return waiting.get(key);
      }
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      synchronized (WriteBehind.this) {
        waiting.scan(from, to, visitor);
      }
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      synchronized (WriteBehind.this) {
        waiting.scanBackwards(from, to, visitor);
      }
    }
  }
}
