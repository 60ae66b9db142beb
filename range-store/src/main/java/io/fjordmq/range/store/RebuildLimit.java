package io.fjordmq.range.store;

import io.fjordmq.range.RangeId;
import io.fjordmq.range.RangeObserver;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how often replicas of this node are rebuilt: a replica that breaks repeatedly stays halted
 * until the window has passed or an operator intervenes. A restart resets the count. Thread-safe.
 */
public final class RebuildLimit {
  static final int MAX_REBUILDS = 3;
  static final Duration WINDOW = Duration.ofHours(1);

  private final LongSupplier nowMillis;
  private final Function<RangeId, @Nullable SupervisedReplica> replicas;
  private final RangeObserver observer;
  private final Map<RangeId, Deque<Long>> rebuildTimes = new ConcurrentHashMap<>();

  RebuildLimit(
      LongSupplier nowMillis,
      Function<RangeId, @Nullable SupervisedReplica> replicas,
      RangeObserver observer) {
    this.nowMillis = nowMillis;
    this.replicas = replicas;
    this.observer = observer;
  }

  /**
   * Requests that a replica of this node be replaced by an empty one. This node only reports it as
   * broken; the group changes its members ({@code range.placement}), and only while it has a
   * majority without this replica.
   *
   * @throws IllegalStateException if this node has no replica of the range
   */
  public void request(RangeId range) {
    SupervisedReplica replica = replicas.apply(range);
    if (replica == null) {
      throw new IllegalStateException("this node has no replica of range " + range);
    }
    replica.markForRebuild();
  }

  /** Returns whether the range may be rebuilt once more without an operator's request. */
  boolean mayRebuild(RangeId range) {
    Deque<Long> startTimes = rebuildTimes.get(range);
    if (startTimes == null) {
      return true;
    }
    synchronized (startTimes) {
      long since = nowMillis.getAsLong() - WINDOW.toMillis();
      startTimes.removeIf(time -> time < since);
      return startTimes.size() < MAX_REBUILDS;
    }
  }

  /** Must be called when the broken replica has been removed; an empty one follows. */
  void onRebuildStarted(RangeId range) {
    observer.onRebuilt(range);
    Deque<Long> startTimes = rebuildTimes.computeIfAbsent(range, id -> new ArrayDeque<>());
    synchronized (startTimes) {
      startTimes.add(nowMillis.getAsLong());
    }
  }
}
