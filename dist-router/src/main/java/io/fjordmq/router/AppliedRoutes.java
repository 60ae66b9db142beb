package io.fjordmq.router;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * How far this node has applied the log of each range of routes: what stands there up to the index
 * is in its {@link RouteTable}. Thread-safe.
 */
final class AppliedRoutes {

  /** One range. Guarded by itself. */
  private static final class Progress {
    private long index;

    /** By the index that is awaited; those who wait for the same one share a future. */
    private final NavigableMap<Long, CompletableFuture<Long>> waiting = new TreeMap<>();
  }

  private final ConcurrentHashMap<Long, Progress> ranges = new ConcurrentHashMap<>();

  /** The replica has applied so much. Called for each range by one thread at a time. */
  void advance(long range, long index) {
    Progress progress = progress(range);
    List<CompletableFuture<Long>> told;
    synchronized (progress) {
      progress.index = index;
      if (progress.waiting.isEmpty()) {
        return;
      }
      NavigableMap<Long, CompletableFuture<Long>> reached = progress.waiting.headMap(index, true);
      told = new ArrayList<>(reached.values());
      reached.clear();
    }
    told.forEach(future -> future.complete(index));
  }

  /** Up to where; 0 if this node has no replica of the range yet. */
  long index(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.index;
    }
  }

  /** Indexes of the range that are awaited. */
  int awaited(long range) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.waiting.size();
    }
  }

  /** Completes with how far it is, once that is at least the index. */
  CompletableFuture<Long> whenApplied(long range, long index) {
    Progress progress = progress(range);
    synchronized (progress) {
      return progress.index >= index
          ? CompletableFuture.completedFuture(progress.index)
          : progress.waiting.computeIfAbsent(index, i -> new CompletableFuture<>());
    }
  }

  private Progress progress(long range) {
    Progress present = ranges.get(range);
    return present != null ? present : ranges.computeIfAbsent(range, r -> new Progress());
  }
}
