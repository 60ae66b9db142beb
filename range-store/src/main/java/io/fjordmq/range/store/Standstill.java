package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.Kv;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Whether a replica's range is frozen. Set by the apply thread, read by any. */
final class Standstill {
  private final Kv kv;
  private final AtomicBoolean flushing = new AtomicBoolean();
  private volatile @Nullable Frozen frozen;
  private volatile boolean durable;

  Standstill(Kv kv) {
    this.kv = kv;
  }

  /** What its rows say. */
  void set(@Nullable Frozen now) {
    durable = false;
    frozen = now;
    if (now != null) {
      flush(now);
    }
  }

  /** Only then a crash cannot undo it: the range's neighbour will count on it. */
  private void flush(Frozen now) {
    if (flushing.compareAndSet(false, true)) {
      kv.flush()
          .whenComplete(
              (done, failure) -> {
                flushing.set(false);
                durable = failure == null && now.equals(frozen);
              });
    }
  }

  boolean isSet() {
    return frozen != null;
  }

  /** For the range's status, which is asked for as long as somebody wants a merge. */
  ReplicaStatus.@Nullable Merging of(RangeId range) {
    Frozen now = frozen;
    if (now == null) {
      return null;
    }
    boolean isDurable = durable;
    if (!isDurable) {
      flush(now); // the last one has failed, or was begun before
    }
    return new ReplicaStatus.Merging(
        new RangeId(range.store(), now.left()), now.leftVersion(), isDurable);
  }
}
