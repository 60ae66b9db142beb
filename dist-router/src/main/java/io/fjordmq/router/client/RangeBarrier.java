package io.fjordmq.router.client;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.common.Timers;
import io.fjordmq.range.RangeException;
import io.fjordmq.router.RouteSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Waits until all counted nodes have applied the changes of a range of routes. Each node has one
 * request at a time in flight, for the highest awaited index. Thread-safe.
 */
final class RangeBarrier {

  /** Requests a response from a node once its replica of the range has applied an index. */
  @FunctionalInterface
  interface ProgressQuery {
    /** Completes with the node's applied index, which is at least the requested index. */
    CompletableFuture<Long> request(NodeId node, long range, long index);
  }

  /** The known progress of a node. */
  private static final class Progress {
    private long applied;
    private boolean inFlight;
    private long retryAtMillis = Long.MIN_VALUE;
  }

  private record Waiter(CompletableFuture<Void> future, long startNanos, long deadlineMillis) {}

  private record ProgressRequest(NodeId node, Progress progress, long index) {}

  private final long range;
  private final Supplier<Set<NodeId>> counted;
  private final ProgressQuery query;
  private final Timers timers;
  private final RouteSettings.Barrier settings;
  private final RouteObserver observer;

  // Guarded by this.
  private final Map<NodeId, Progress> nodes = new HashMap<>();
  private final NavigableMap<Long, Waiter> waiting = new TreeMap<>();
  private boolean checkScheduled;

  /**
   * @param counted the nodes that have to apply a change, including this one; evaluated repeatedly
   *     while calls are waiting
   */
  RangeBarrier(
      long range,
      Supplier<Set<NodeId>> counted,
      ProgressQuery query,
      Timers timers,
      RouteSettings.Barrier settings,
      RouteObserver observer) {
    this.range = range;
    this.counted = counted;
    this.query = query;
    this.timers = timers;
    this.settings = settings;
    this.observer = observer;
  }

  /** Completes when all counted nodes have applied the index; fails after the timeout. */
  CompletableFuture<Void> await(long index) {
    CompletableFuture<Void> future;
    synchronized (this) {
      long deadline = timers.nowMillis() + settings.timeout().toMillis();
      future =
          waiting.computeIfAbsent(
                  index, i -> new Waiter(new CompletableFuture<>(), timers.nowNanos(), deadline))
              .future;
    }
    completeWaiters();
    scheduleCheck();
    return future;
  }

  /** Returns the number of awaited indexes. */
  synchronized int waiting() {
    return waiting.size();
  }

  /** Completes the waits for indexes that are applied everywhere, and queries lagging nodes. */
  void completeWaiters() {
    completeWaiters(List.of());
  }

  /**
   * @param responded the node whose response has just been recorded, if there is one
   */
  private void completeWaiters(List<NodeId> responded) {
    List<Waiter> completed;
    List<ProgressRequest> requests = new ArrayList<>();
    synchronized (this) {
      Set<NodeId> countedNodes = counted.get();
      nodes.keySet().retainAll(countedNodes);
      long appliedEverywhere = Long.MAX_VALUE;
      for (NodeId node : countedNodes) {
        Progress progress = nodes.computeIfAbsent(node, n -> new Progress());
        appliedEverywhere = Math.min(appliedEverywhere, progress.applied);
      }
      NavigableMap<Long, Waiter> done = waiting.headMap(appliedEverywhere, true);
      completed = new ArrayList<>(done.values());
      done.clear();
      if (!waiting.isEmpty()) {
        collectRequests(waiting.lastKey(), requests);
      }
    }
    for (Waiter wait : completed) {
      observer.onWaited(responded, timers.nowNanos() - wait.startNanos);
      wait.future.complete(null);
    }
    requests.forEach(this::requestProgress);
  }

  private void collectRequests(long index, List<ProgressRequest> requests) {
    long now = timers.nowMillis();
    nodes.forEach(
        (node, progress) -> {
          if (!progress.inFlight && progress.applied < index && now >= progress.retryAtMillis) {
            progress.inFlight = true;
            requests.add(new ProgressRequest(node, progress, index));
          }
        });
  }

  private void requestProgress(ProgressRequest request) {
    query
        .request(request.node, range, request.index)
        .whenComplete((applied, failure) -> onResponse(request, applied, failure));
  }

  /** Records a response, unless the node is no longer counted. */
  private void onResponse(
      ProgressRequest request, @Nullable Long applied, @Nullable Throwable failure) {
    synchronized (this) {
      Progress progress = request.progress;
      progress.inFlight = false;
      if (applied == null || failure != null) {
        progress.retryAtMillis = timers.nowMillis() + settings.retryInterval().toMillis();
        return; // checkDeadlines() repeats the request
      }
      progress.applied = Math.max(progress.applied, applied);
    }
    completeWaiters(List.of(request.node));
  }

  private void scheduleCheck() {
    synchronized (this) {
      if (checkScheduled || waiting.isEmpty()) {
        return;
      }
      checkScheduled = true;
    }
    timers.schedule(settings.retryInterval().toMillis(), this::checkDeadlines);
  }

  private void checkDeadlines() {
    List<Waiter> expired = new ArrayList<>();
    List<NodeId> lagging = new ArrayList<>();
    synchronized (this) {
      checkScheduled = false;
      long now = timers.nowMillis();
      // Later indexes have later deadlines.
      while (!waiting.isEmpty() && waiting.firstEntry().getValue().deadlineMillis <= now) {
        long index = waiting.firstKey();
        expired.add(waiting.pollFirstEntry().getValue());
        nodes.forEach(
            (node, progress) -> {
              if (progress.applied < index && !lagging.contains(node)) {
                lagging.add(node);
              }
            });
      }
    }
    for (Waiter wait : expired) {
      observer.onWaited(lagging, timers.nowNanos() - wait.startNanos);
      wait.future.completeExceptionally(
          new RangeException(
              RangeException.Kind.UNAVAILABLE,
              "the route change is committed, but was not confirmed within "
                  + settings.timeout().toSeconds()
                  + " s by these live nodes: "
                  + lagging));
    }
    completeWaiters();
    scheduleCheck();
  }
}
