package io.fjordmq.range.kv;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Range;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.SizeApproximationFlag;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/** {@link KvSpace} on a column family. */
final class RocksSpace implements KvSpace {
  private final String name;
  private final RocksDB db;
  private final ColumnFamilyHandle handle;
  private final RocksGate gate;
  private final RocksFailures failures;
  private final WriteOptions withoutLog = new WriteOptions().setDisableWAL(true);
  private final ReadOptions readOptions = new ReadOptions();
  private final KvReader latest = new Reader(null, readOptions, null, true);

  RocksSpace(
      String name, RocksDB db, ColumnFamilyHandle handle, RocksGate gate, RocksFailures failures) {
    this.name = name;
    this.db = db;
    this.handle = handle;
    this.gate = gate;
    this.failures = failures;
  }

  ColumnFamilyHandle handle() {
    return handle;
  }

  /** Called only by the storage, once nothing uses the space anymore. */
  void closeHandle() {
    withoutLog.close();
    readOptions.close();
    handle.close();
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public KvReader latest() {
    return latest;
  }

  @Override
  public KvSnapshot snapshot() {
    return snapshot(null, true);
  }

  @Override
  public KvSnapshot boundedSnapshot(long maxSkipped) {
    return snapshot(new SkipBudget(db, maxSkipped), true);
  }

  @Override
  public KvSnapshot uncachedSnapshot() {
    return snapshot(null, false);
  }

  private KvSnapshot snapshot(@Nullable SkipBudget budget, boolean fillsCache) {
    gate.enter();
    try {
      return new SnapshotReader(db.getSnapshot(), budget, fillsCache);
    } finally {
      gate.leave();
    }
  }

  @Override
  public long approximateBytes(byte[] from, byte[] to) {
    gate.enter();
    try (Slice first = new Slice(from);
        Slice end = new Slice(to)) {
      return db.getApproximateSizes(
              handle,
              List.of(new Range(first, end)),
              SizeApproximationFlag.INCLUDE_FILES,
              SizeApproximationFlag.INCLUDE_MEMTABLES)[0];
    } finally {
      gate.leave();
    }
  }

  @Override
  public void write(KvBatch batch) {
    gate.enter();
    int capacity = (int) Math.min(batch.bytes() + 16L * batch.size() + 16, Integer.MAX_VALUE - 8);
    try (WriteBatch write = new WriteBatch(capacity)) {
      WriteBatchSink translation = new WriteBatchSink(write);
      batch.replay(0, translation);
      if (translation.failed != null) {
        throw translation.failed;
      }
      db.write(withoutLog, write);
      failures.onWriteSucceeded();
    } catch (RocksDBException e) {
      throw failures.onWriteFailed("cannot write to space " + name, e);
    } finally {
      gate.leave();
    }
  }

  private final class WriteBatchSink implements KvBatch.Sink {
    private final WriteBatch write;
    private @Nullable RocksDBException failed;

    WriteBatchSink(WriteBatch write) {
      this.write = write;
    }

    @Override
    public void put(byte[] key, byte[] value) {
      try {
        write.put(handle, key, value);
      } catch (RocksDBException e) {
        failed = e;
      }
    }

    @Override
    public void delete(byte[] key) {
      try {
        write.delete(handle, key);
      } catch (RocksDBException e) {
        failed = e;
      }
    }

    @Override
    public void deleteRange(byte[] from, byte[] to) {
      try {
        write.deleteRange(handle, from, to);
      } catch (RocksDBException e) {
        failed = e;
      }
    }
  }

  private class Reader implements KvReader {
    private final @Nullable Snapshot snapshot;
    private final ReadOptions gets;
    private final @Nullable SkipBudget budget;
    private final boolean fillsCache;

    Reader(
        @Nullable Snapshot snapshot,
        ReadOptions gets,
        @Nullable SkipBudget budget,
        boolean fillsCache) {
      this.snapshot = snapshot;
      this.gets = gets;
      this.budget = budget;
      this.fillsCache = fillsCache;
    }

    @Override
    public byte @Nullable [] get(byte[] key) {
      gate.enter();
      try {
        return db.get(handle, gets, key);
      } catch (RocksDBException e) {
        throw failures.translate("cannot read from space " + name, e);
      } finally {
        gate.leave();
      }
    }

    @Override
    public void scan(byte[] from, byte @Nullable [] to, Visitor visitor) {
      iterate(from, to, visitor, true);
    }

    @Override
    public void scanBackwards(byte[] from, byte @Nullable [] to, Visitor visitor) {
      iterate(from, to, visitor, false);
    }

    private void iterate(byte[] from, byte @Nullable [] to, Visitor visitor, boolean ascending) {
      gate.enter();
      // The bounds make RocksDB stop there instead of stepping over deleted keys beyond them.
      try (ReadOptions options = new ReadOptions();
          Slice lower = new Slice(from);
          Slice upper = to == null ? null : new Slice(to)) {
        options.setIterateLowerBound(lower);
        if (upper != null) {
          options.setIterateUpperBound(upper);
        }
        if (!fillsCache) {
          options.setFillCache(false);
        }
        if (snapshot != null) {
          options.setSnapshot(snapshot);
        }
        if (budget != null) {
          options.setMaxSkippableInternalKeys(budget.remaining());
        }
        try (RocksIterator iterator = db.newIterator(handle, options)) {
          visitAll(iterator, visitor, ascending);
        }
      } catch (RocksDBException e) {
        throw failures.translate("cannot scan space " + name, e);
      } finally {
        gate.leave();
      }
    }

    private void visitAll(RocksIterator iterator, Visitor visitor, boolean ascending)
        throws RocksDBException {
      moveIterator(ascending ? iterator::seekToFirst : iterator::seekToLast);
      while (iterator.isValid()) {
        if (!visitor.visit(iterator.key(), iterator.value())) {
          return;
        }
        moveIterator(ascending ? iterator::next : iterator::prev);
      }
      iterator.status(); // an I/O error also makes it invalid; status() throws then
    }

    private void moveIterator(Runnable step) {
      if (budget == null) {
        step.run();
      } else {
        budget.step(step);
      }
    }
  }

  private final class SnapshotReader extends Reader implements KvSnapshot {
    private final Snapshot held;
    private final ReadOptions gets;
    private boolean released;

    SnapshotReader(Snapshot held, @Nullable SkipBudget budget, boolean fillsCache) {
      this(held, new ReadOptions().setSnapshot(held), budget, fillsCache);
    }

    private SnapshotReader(
        Snapshot held, ReadOptions gets, @Nullable SkipBudget budget, boolean fillsCache) {
      super(held, gets, budget, fillsCache);
      this.held = held;
      this.gets = gets;
    }

    @Override
    public void close() {
      try {
        gate.enter();
      } catch (KvException e) {
        return; // released with the storage
      }
      try {
        synchronized (this) {
          if (!released) {
            released = true;
            gets.close();
            db.releaseSnapshot(held);
          }
        }
      } finally {
        gate.leave();
      }
    }
  }
}
