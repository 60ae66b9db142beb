package io.fjordmq.range.kv;

import org.jspecify.annotations.Nullable;

/**
 * A write-behind buffer: collects writes in memory and passes them to the underlying space many at
 * a time. Rows that are inserted and deleted in the meantime never reach it. Thread-safe; nothing
 * else may write to the underlying space.
 *
 * <p>For crash safety it is like another memtable: a {@link Kv} guarantees nothing before a flush,
 * and every flush is preceded by {@link #writeOut}.
 */
final class WriteBehind implements KvSpace {
  /*
   * Each batch enters the buffer as a whole and all of it is written out together, so the
   * underlying space always holds the state after some batch. Taking a snapshot writes out the
   * buffer first.
   */
  private final KvSpace space;
  private final long maxBytes;
  private final ChangeIndex unwritten;
  private final KvReader latest = new Latest();
  private volatile long unwrittenBytes;
  private boolean closed;

  /**
   * @param maxBytes buffer size; a write that would exceed it writes out the buffer first
   */
  WriteBehind(KvSpace space, long maxBytes) {
    this.space = space;
    this.maxBytes = maxBytes;
    this.unwritten = new ChangeIndex(space.latest());
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

  @Override
  public synchronized KvSnapshot uncachedSnapshot() {
    writeOut();
    return space.uncachedSnapshot();
  }

  /** {@inheritDoc} Does not include the buffer. */
  @Override
  public long approximateBytes(byte[] from, byte[] to) {
    return space.approximateBytes(from, to);
  }

  @Override
  public synchronized void write(KvBatch batch) {
    if (closed) {
      throw new KvException(KvException.Kind.CLOSED, "state storage is closed");
    }
    long maxAdded = ChangeIndex.maxBytes(batch);
    if (unwritten.bytes() + maxAdded > maxBytes) {
      writeOut(); // if this fails, no part of the batch has been buffered
    }
    if (maxAdded > maxBytes) {
      space.write(batch);
    } else {
      batch.replay(0, unwritten);
      unwrittenBytes = unwritten.bytes();
    }
  }

  /**
   * Writes the buffer to the underlying space.
   *
   * @throws KvException if that failed; the buffer keeps its changes
   */
  synchronized void writeOut() {
    if (unwritten.isEmpty()) {
      return;
    }
    KvBatch batch = new KvBatch();
    unwritten.writeTo(batch);
    space.write(batch);
    unwritten.clear();
    unwrittenBytes = 0;
  }

  /**
   * Returns the number of bytes in the buffer, including the approximate overhead of each change.
   */
  long unwrittenBytes() {
    return unwrittenBytes;
  }

  /** Rejects further writes. */
  synchronized void close() {
    closed = true;
  }

  private final class Latest implements KvReader {
    @Override
    public byte @Nullable [] get(byte[] key) {
      synchronized (WriteBehind.this) {
        return unwritten.get(key);
      }
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      synchronized (WriteBehind.this) {
        unwritten.scan(from, to, visitor);
      }
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      synchronized (WriteBehind.this) {
        unwritten.scanBackwards(from, to, visitor);
      }
    }
  }
}
