package io.fjordmq.range.kv;

import org.rocksdb.PerfContext;
import org.rocksdb.PerfLevel;
import org.rocksdb.RocksDB;

/**
 * The number of deleted and overwritten rows that the scans of a reader may still skip. For use by
 * one thread at a time.
 */
final class SkipBudget {
  /*
   * RocksDB limits each step of an iterator (max_skippable_internal_keys) but not their sum. Its
   * performance context counts the rows that this thread has skipped.
   */
  private final RocksDB db;
  private long remaining;

  /**
   * @param remaining number of rows, at least 1
   */
  SkipBudget(RocksDB db, long remaining) {
    this.db = db;
    this.remaining = remaining;
  }

  /**
   * Returns the rows that may still be skipped, at least 1, because RocksDB treats 0 as no limit.
   *
   * @throws KvException of kind {@link KvException.Kind#TOO_MANY_TOMBSTONES} if the budget is used
   *     up
   */
  long remaining() {
    if (remaining <= 0) {
      throw new KvException(
          KvException.Kind.TOO_MANY_TOMBSTONES, "scan aborted: too many deleted rows");
    }
    return remaining;
  }

  /** Moves an iterator; throws like {@link #remaining} if the budget is already used up. */
  void step(Runnable step) {
    remaining();
    db.setPerfLevel(PerfLevel.ENABLE_COUNT);
    try {
      long before = skipped();
      step.run();
      remaining -= skipped() - before;
    } finally {
      db.setPerfLevel(PerfLevel.DISABLE);
    }
  }

  private long skipped() {
    PerfContext counts = db.getPerfContext();
    return counts.getInternalDeleteSkippedCount() + counts.getInternalKeySkippedCount();
  }
}
