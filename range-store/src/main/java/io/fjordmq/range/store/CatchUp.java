package io.fjordmq.range.store;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Brings a store's replicas on this node up to date. The set of replicas can grow in the process: a
 * replica that catches up may learn that its range was split, and then the children must catch up
 * as well.
 */
final class CatchUp {
  private final String store;
  private final Map<RangeId, SupervisedReplica> replicas;

  /** The replicas that have tried to catch up, and whether they are up to date. */
  private final Map<RangeId, Boolean> caughtUp = new HashMap<>();

  private volatile @Nullable Throwable lastFailure;

  /**
   * @param replicas all replicas of this node; more may be added in the meantime
   */
  CatchUp(String store, Map<RangeId, SupervisedReplica> replicas) {
    this.store = store;
    this.replicas = replicas;
  }

  /** Completes when the up-to-date replicas together hold every key. */
  CompletableFuture<Void> start() {
    Map<RangeId, SupervisedReplica> pending = new LinkedHashMap<>(replicas);
    pending.keySet().removeIf(id -> !id.store().equals(store));
    synchronized (caughtUp) {
      pending.keySet().removeAll(caughtUp.keySet());
    }
    if (pending.isEmpty()) {
      return coversAllKeys()
          ? CompletableFuture.completedFuture(null)
          : CompletableFuture.failedFuture(
              new IllegalStateException(
                  "some ranges of store '" + store + "' have no up-to-date replica on this node",
                  lastFailure));
    }
    List<CompletableFuture<?>> all = new ArrayList<>();
    pending.forEach((id, replica) -> all.add(startCatchUp(id, replica)));
    return CompletableFuture.allOf(all.toArray(CompletableFuture<?>[]::new))
        .thenCompose(done -> start());
  }

  private CompletableFuture<?> startCatchUp(RangeId id, SupervisedReplica supervised) {
    RangeReplica replica = supervised.replica();
    CompletableFuture<Long> upToDate =
        replica == null
            ? CompletableFuture.failedFuture(
                new IllegalStateException("the replica of range " + id + " is not open"))
            : replica.catchUp();
    return upToDate.handle(
        (index, failure) -> {
          synchronized (caughtUp) {
            caughtUp.put(id, failure == null);
          }
          lastFailure = failure == null ? lastFailure : failure;
          return index;
        });
  }

  /**
   * Checks current key intervals: keys that a split has moved away in the meantime do not count.
   */
  private boolean coversAllKeys() {
    List<KeyInterval> intervals = new ArrayList<>();
    replicas.forEach(
        (id, replica) -> {
          synchronized (caughtUp) {
            if (caughtUp.getOrDefault(id, false)) {
              intervals.add(replica.descriptor().interval());
            }
          }
        });
    intervals.sort((a, b) -> Arrays.compareUnsigned(a.start(), b.start()));
    byte[] coveredUpTo = new byte[0];
    for (KeyInterval interval : intervals) {
      if (Arrays.compareUnsigned(interval.start(), coveredUpTo) > 0) {
        return false;
      }
      byte[] end = interval.end();
      if (end == null) {
        return true;
      }
      coveredUpTo = end;
    }
    return false;
  }
}
