package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import org.jspecify.annotations.Nullable;

/** Tracks whether a replica's range is frozen. Set by the apply thread, read by any thread. */
final class FreezeFlag {
  private final Kv kv;
  private volatile @Nullable FreezeRecord freezeRecord;

  // Guarded by this.
  private boolean flushing;
  private boolean durable;

  FreezeFlag(Kv kv) {
    this.kv = kv;
  }

  /** Sets the freeze record that the rows contain. */
  void set(@Nullable FreezeRecord current) {
    synchronized (this) {
      durable = false;
      freezeRecord = current;
    }
    if (current != null) {
      flush(current);
    }
  }

  /** Makes the freeze durable, because the range's neighbor relies on it even after a crash. */
  private void flush(FreezeRecord current) {
    synchronized (this) {
      if (flushing) {
        return;
      }
      flushing = true;
    }
    kv.flush().whenComplete((done, failure) -> onFlushed(current, failure == null));
  }

  /**
   * Records the result of a flush, which may have begun before the range was frozen for another
   * merge.
   */
  private synchronized void onFlushed(FreezeRecord flushedRecord, boolean succeeded) {
    flushing = false;
    durable = succeeded && flushedRecord.equals(freezeRecord);
  }

  boolean isSet() {
    return freezeRecord != null;
  }

  /** Returns the merge for the range's status, which is polled while a merge is pending. */
  ReplicaStatus.@Nullable Merging merging(RangeId range) {
    FreezeRecord current;
    boolean isDurable;
    synchronized (this) {
      current = freezeRecord;
      isDurable = durable;
    }
    if (current == null) {
      return null;
    }
    if (!isDurable) {
      flush(current); // the last flush failed, or began before the freeze
    }
    return new ReplicaStatus.Merging(
        new RangeId(range.store(), current.left()), current.leftVersion(), isDurable);
  }
}
