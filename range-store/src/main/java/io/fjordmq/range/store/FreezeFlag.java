package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import org.jspecify.annotations.Nullable;

/** Whether a replica's range is frozen. Set by the apply thread, read by any. */
final class FreezeFlag {
  private final Kv kv;
  private volatile @Nullable FreezeRecord freezeRecord;

  // Guarded by this.
  private boolean flushing;
  private boolean durable;

  FreezeFlag(Kv kv) {
    this.kv = kv;
  }

  /** What its rows say. */
  void set(@Nullable FreezeRecord now) {
    synchronized (this) {
      durable = false;
      freezeRecord = now;
    }
    if (now != null) {
      flush(now);
    }
  }

  /** Only then a crash cannot undo it: the range's neighbour will count on it. */
  private void flush(FreezeRecord now) {
    synchronized (this) {
      if (flushing) {
        return;
      }
      flushing = true;
    }
    kv.flush().whenComplete((done, failure) -> flushed(now, failure == null));
  }

  /** What it was frozen for meanwhile may not be among it. */
  private synchronized void flushed(FreezeRecord then, boolean worked) {
    flushing = false;
    durable = worked && then.equals(freezeRecord);
  }

  boolean isSet() {
    return freezeRecord != null;
  }

  /** For the range's status, which is asked for as long as somebody wants a merge. */
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
      flush(now); // the last one has failed, or was begun before
    }
    return new ReplicaStatus.Merging(
        new RangeId(range.store(), now.left()), now.leftVersion(), isDurable);
  }
}
