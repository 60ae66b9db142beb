package io.fjordmq.range.kv;

import org.rocksdb.PerfContext;
import org.rocksdb.PerfLevel;
import org.rocksdb.RocksDB;

/**
 * The deleted and overwritten rows that the scans of one reader may still step over. For one thread
 * at a time.
 */
final class SkipBudget {
  /*
   * RocksDB bounds each single step of an iterator (max_skippable_internal_keys) but not their sum.
   * Its performance context counts what this thread has stepped over.
   */
  private final RocksDB db;
  private long left;

  /**
   * @param left rows, at least 1
   */
  SkipBudget(RocksDB db, long left) {
    this.db = db;
    this.left = left;
  }

  /**
   * Rows that may be stepped over, at least 1: RocksDB takes 0 for no limit.
   *
   * @throws KvException of kind {@link KvException.Kind#TOO_MANY_TOMBSTONES} if nothing is left
   */
  long left() {
    if (left <= 0) {
      throw new KvException(
          KvException.Kind.TOO_MANY_TOMBSTONES, "Scan abandoned: too many deleted rows");
    }
    return left;
  }

  /** Moves an iterator; throws like {@link #left} if there was nothing left for it. */
  void spend(Runnable step) {
    left();
    db.setPerfLevel(PerfLevel.ENABLE_COUNT);
    try {
      long before = skipped();
      step.run();
      left -= skipped() - before;
    } finally {
      db.setPerfLevel(PerfLevel.DISABLE);
    }
  }

  private long skipped() {
    PerfContext counts = db.getPerfContext();
    return counts.getInternalDeleteSkippedCount() + counts.getInternalKeySkippedCount();
  }
}
