package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks requested merges that are waiting or in progress, one for each left range, and how long
 * ranges have been frozen, no matter who requested the merge. Thread-safe.
 */
final class RequestedMerges {
  private static final Logger LOG = LoggerFactory.getLogger(RequestedMerges.class);

  private final Function<RangeId, @Nullable RangeId> rightNeighbors;
  private final Map<RangeId, RequestedMerge> waiting = new LinkedHashMap<>();
  private final Map<RangeId, Long> frozenSinceMillis = new HashMap<>();

  /** Left ranges whose merge was abandoned, and until when no merge starts automatically. */
  private final Map<RangeId, Long> cooldownUntilMillis = new HashMap<>();

  /** Right ranges that are frozen for a merge that an operator has canceled. */
  private final Set<RangeId> canceled = new HashSet<>();

  /** The reason why merges have not started, as of the latest check. */
  private Map<RangeId, String> obstacles = Map.of();

  private record RequestedMerge(
      RangeId left, RangeId right, long untilMillis, CompletableFuture<Void> done) {}

  /** A merge that has ended; the reason is null if it was carried out. */
  private record Completion(RequestedMerge requestedMerge, @Nullable String reason) {
    void complete() {
      if (reason == null) {
        requestedMerge.done.complete(null);
      } else {
        LOG.warn(
            "Merge abandoned: {} range={} next={}",
            reason,
            requestedMerge.left,
            requestedMerge.right);
        requestedMerge.done.completeExceptionally(new IllegalStateException(reason));
      }
    }
  }

  /**
   * @param rightNeighbors finds the right neighbor of a range; null if there is none
   */
  RequestedMerges(Function<RangeId, @Nullable RangeId> rightNeighbors) {
    this.rightNeighbors = rightNeighbors;
  }

  /** Requests a merge. A repeated request joins the one that is already waiting. */
  CompletableFuture<Void> add(RangeId left, long untilMillis) {
    RangeId right = rightNeighbors.apply(left);
    if (right == null) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException(
              "cannot merge range " + left + ": there is no range to its right"));
    }
    synchronized (this) {
      return waiting.computeIfAbsent(
              left, id -> new RequestedMerge(id, right, untilMillis, new CompletableFuture<>()))
          .done;
    }
  }

  /**
   * Adds merges that no operator requested. One of them starts if there is no other merge and its
   * ranges are not cooling down.
   */
  synchronized void addIdle(List<RangeId> idle, long untilMillis) {
    for (RangeId left : idle) {
      if (waiting.isEmpty()
          && frozenSinceMillis.isEmpty()
          && !cooldownUntilMillis.containsKey(left)) {
        add(left, untilMillis);
      }
    }
  }

  /** Returns whether a range is frozen, so that the next check is urgent. */
  synchronized boolean hasFrozenRanges() {
    return !frozenSinceMillis.isEmpty();
  }

  /** Returns the merges to work on, given the current reports. */
  PlacementView.Merges update(
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      PlacementSettings settings,
      long nowMillis) {
    Set<RangeId> frozen = frozen(published, reports);
    List<Completion> completions = new ArrayList<>();
    PlacementView.Merges merges;
    synchronized (this) {
      cooldownUntilMillis.values().removeIf(until -> until <= nowMillis);
      frozenSinceMillis.keySet().retainAll(frozen);
      canceled.retainAll(frozen);
      frozen.forEach(range -> frozenSinceMillis.putIfAbsent(range, nowMillis));
      for (RequestedMerge requestedMerge : List.copyOf(waiting.values())) {
        Completion end = completionOf(requestedMerge, published, nowMillis);
        if (end != null) {
          waiting.remove(requestedMerge.left);
          completions.add(end);
          if (end.reason != null) {
            cooldownUntilMillis.put(
                requestedMerge.left, nowMillis + settings.mergeCooldown().toMillis());
          }
        }
      }
      Set<RangeId> overdue = new HashSet<>(frozen);
      long limit = nowMillis - settings.mergeFreezeTimeout().toMillis();
      overdue.removeIf(range -> frozenSinceMillis.getOrDefault(range, nowMillis) > limit);
      merges =
          new PlacementView.Merges(
              List.copyOf(waiting.keySet()), Set.copyOf(overdue), Set.copyOf(canceled));
    }
    completions.forEach(Completion::complete);
    return merges;
  }

  private static Set<RangeId> frozen(
      Map<RangeId, RangeDescriptor> published, Map<NodeId, RangeReports> reports) {
    return reports.values().stream()
        .flatMap(report -> report.replicas().stream())
        .filter(replica -> replica.merging() != null)
        .map(replica -> published.get(replica.range()))
        .flatMap(Stream::ofNullable)
        .distinct()
        .filter(range -> new PlacedRange(range, reports).merging() != null)
        .map(RangeDescriptor::id)
        .collect(Collectors.toSet());
  }

  /** Returns null while the merge continues. */
  private @Nullable Completion completionOf(
      RequestedMerge requestedMerge, Map<RangeId, RangeDescriptor> published, long nowMillis) {
    RangeDescriptor left = published.get(requestedMerge.left);
    RangeDescriptor right = published.get(requestedMerge.right);
    if (right == null) {
      return new Completion(requestedMerge, null);
    } else if (left == null || !Arrays.equals(left.interval().end(), right.interval().start())) {
      return new Completion(requestedMerge, "the two ranges are no longer neighbors");
    } else if (nowMillis >= requestedMerge.untilMillis
        && !frozenSinceMillis.containsKey(requestedMerge.right)) {
      return new Completion(
          requestedMerge, obstacles.getOrDefault(requestedMerge.left, "the merge timed out"));
    }
    return null;
  }

  /**
   * Abandons a requested or started merge. If its right range is already frozen, the merge ends
   * with the next checks: both ranges resume, or the merge completes.
   *
   * @param range one of the two ranges
   * @param cooldownUntilMillis when the two may be merged again without an operator
   * @return false if the range is not being merged
   */
  boolean cancel(RangeId range, long cooldownUntilMillis) {
    List<RequestedMerge> ended;
    boolean started;
    synchronized (this) {
      ended =
          waiting.values().stream()
              .filter(
                  requestedMerge ->
                      requestedMerge.left.equals(range) || requestedMerge.right.equals(range))
              .toList();
      List<RangeId> affected = new ArrayList<>(ended.stream().map(RequestedMerge::right).toList());
      affected.add(range);
      RangeId rightNeighbor = rightNeighbors.apply(range);
      if (rightNeighbor != null) {
        affected.add(rightNeighbor);
      }
      affected.retainAll(frozenSinceMillis.keySet());
      canceled.addAll(affected);
      started = !affected.isEmpty();
      for (RequestedMerge requestedMerge : ended) {
        waiting.remove(requestedMerge.left);
        this.cooldownUntilMillis.put(requestedMerge.left, cooldownUntilMillis);
      }
    }
    ended.forEach(
        requestedMerge ->
            new Completion(requestedMerge, "an operator canceled the merge").complete());
    return started || !ended.isEmpty();
  }

  /** Sets why requested merges have not started, by left range. */
  synchronized void setObstacles(Map<RangeId, String> reason) {
    obstacles = Map.copyOf(reason);
  }

  /** Must be called when a step has ended, because it may have abandoned a merge. */
  void onStepFinished(Step step, boolean done, long cooldownUntilMillis) {
    if (step instanceof Step.BumpEpoch bumpEpoch && done) {
      RequestedMerge requestedMerge;
      synchronized (this) {
        this.cooldownUntilMillis.put(bumpEpoch.range(), cooldownUntilMillis);
        requestedMerge = waiting.remove(bumpEpoch.range());
      }
      if (requestedMerge != null) {
        new Completion(requestedMerge, bumpEpoch.reason()).complete();
      }
    }
  }

  void abandonAll(String reason) {
    List<RequestedMerge> all;
    synchronized (this) {
      all = List.copyOf(waiting.values());
      waiting.clear();
      frozenSinceMillis.clear();
      canceled.clear();
    }
    all.forEach(requestedMerge -> new Completion(requestedMerge, reason).complete());
  }
}
