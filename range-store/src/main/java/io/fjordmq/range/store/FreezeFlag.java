package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import org.jspecify.annotations.Nullable;

/** Whether a replica's range is frozen. Set by the apply thread, read by any thread. */
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
  void set(@Nullable FreezeRecord now) {
    synchronized (this) {
      durable = false;
      freezeRecord = now;
    }
    if (now != null) {
      flush(now);
    }
  }

  /** Only a durable freeze survives a crash, and the range's neighbour relies on it. */
  private void flush(FreezeRecord now) {
    synchronized (this) {
      if (flushing) {
        return;
      }
      flushing = true;
    }
    kv.flush().whenComplete((done, failure) -> flushed(now, failure == null));
  }

  /** The flush may have begun before the range was frozen for another merge. */
  private synchronized void flushed(FreezeRecord then, boolean worked) {
    flushing = false;
    durable = worked && then.equals(freezeRecord);
  }

  boolean isSet() {
    return freezeRecord != null;
  }

  /** For the range's status, which is polled while a merge is pending. */
  ReplicaStatus.@Nullable Merging of(RangeId range) {
    FreezeRecord now;
    boolean isDurable;
    synchronized (this) {
      now = freezeRecord;
      isDurable = durable;
    }
    if (now == null) {
      return null;
    }
    if (!isDurable) {
      flush(now); // the last flush failed, or began before the freeze
    }
    return new ReplicaStatus.Merging(
        new RangeId(range.store(), now.left()), now.leftVersion(), isDurable);
  }
}
