package io.fjordmq.router;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeException;
import io.fjordmq.range.Timers;
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
 * The changes of one range of routes that wait until all nodes that count have applied them. A node
 * is asked one question at a time, for the highest index that is awaited. Thread-safe.
 */
final class RangeBarrier {

  /** Asks a node to say when its replica of the range has applied an index. */
  @FunctionalInterface
  interface Question {
    /** Completes with how far the node is, at least the index. */
    CompletableFuture<Long> ask(NodeId node, long range, long index);
  }

  /** What is known of a node. */
  private static final class Progress {
    private long applied;
    private boolean asked;
    private long askAgainAtMillis = Long.MIN_VALUE;
  }

  private record Wait(CompletableFuture<Void> future, long deadlineMillis) {}

  private record ProgressRequest(NodeId node, Progress progress, long index) {}

  private final long range;
  private final Supplier<Set<NodeId>> counted;
  private final Question question;
  private final Timers timers;
  private final RouterSettings.Barrier settings;

  // Guarded by this.
  private final Map<NodeId, Progress> nodes = new HashMap<>();
  private final NavigableMap<Long, Wait> waiting = new TreeMap<>();
  private boolean watching;

  /**
   * @param counted the nodes that have to apply a change, this one included; looked at again and
   *     again while something waits
   */
  RangeBarrier(
      long range,
      Supplier<Set<NodeId>> counted,
      Question question,
      Timers timers,
      RouterSettings.Barrier settings) {
    this.range = range;
    this.counted = counted;
    this.question = question;
    this.timers = timers;
    this.settings = settings;
  }

  /** Completes when all nodes have applied the index; fails when that takes too long. */
  CompletableFuture<Void> await(long index) {
    CompletableFuture<Void> future;
    synchronized (this) {
      long deadline = timers.nowMillis() + settings.patience().toMillis();
      future =
          waiting.computeIfAbsent(index, i -> new Wait(new CompletableFuture<>(), deadline)).future;
    }
    settle();
    watch();
    return future;
  }

  /** Indexes that are waited for. */
  synchronized int waiting() {
    return waiting.size();
  }

  /** Tells those whose index has been applied everywhere; asks whom there is reason to ask. */
  void settle() {
    List<Wait> told;
    List<ProgressRequest> toAsk = new ArrayList<>();
    synchronized (this) {
      Set<NodeId> all = counted.get();
      nodes.keySet().retainAll(all);
      long everywhere = Long.MAX_VALUE;
      for (NodeId node : all) {
        Progress progress = nodes.computeIfAbsent(node, n -> new Progress());
        everywhere = Math.min(everywhere, progress.applied);
      }
      NavigableMap<Long, Wait> done = waiting.headMap(everywhere, true);
      told = new ArrayList<>(done.values());
      done.clear();
      if (!waiting.isEmpty()) {
        collectToAsk(waiting.lastKey(), toAsk);
      }
    }
    told.forEach(wait -> wait.future.complete(null));
    toAsk.forEach(this::ask);
  }

  private void collectToAsk(long index, List<ProgressRequest> toAsk) {
    long now = timers.nowMillis();
    nodes.forEach(
        (node, progress) -> {
          if (!progress.asked && progress.applied < index && now >= progress.askAgainAtMillis) {
            progress.asked = true;
            toAsk.add(new ProgressRequest(node, progress, index));
          }
        });
  }

  private void ask(ProgressRequest asked) {
    question
        .ask(asked.node, range, asked.index)
        .whenComplete((applied, failure) -> answered(asked.progress, applied, failure));
  }

  /** The answer of a node that is not counted any more changes nothing. */
  private void answered(Progress progress, @Nullable Long applied, @Nullable Throwable failure) {
    synchronized (this) {
      progress.asked = false;
      if (applied == null || failure != null) {
        progress.askAgainAtMillis = timers.nowMillis() + settings.askAgainAfter().toMillis();
        return; // the watch asks again
      }
      progress.applied = Math.max(progress.applied, applied);
    }
    settle();
  }

  private void watch() {
    synchronized (this) {
      if (watching || waiting.isEmpty()) {
        return;
      }
      watching = true;
    }
    timers.schedule(settings.askAgainAfter().toMillis(), this::look);
  }

  private void look() {
    List<Wait> late = new ArrayList<>();
    List<NodeId> missing = new ArrayList<>();
    synchronized (this) {
      watching = false;
      long now = timers.nowMillis();
      // Later indexes have later deadlines.
      while (!waiting.isEmpty() && waiting.firstEntry().getValue().deadlineMillis <= now) {
        long index = waiting.firstKey();
        late.add(waiting.pollFirstEntry().getValue());
        nodes.forEach(
            (node, progress) -> {
              if (progress.applied < index && !missing.contains(node)) {
                missing.add(node);
              }
            });
      }
    }
    for (Wait wait : late) {
      wait.future.completeExceptionally(
          new RangeException(
              RangeException.Kind.UNAVAILABLE,
              "a change of routes is committed, but these nodes, though alive, did not say within "
                  + settings.patience().toSeconds()
                  + " s that they have it: "
                  + missing));
    }
    settle();
    watch();
  }
}
