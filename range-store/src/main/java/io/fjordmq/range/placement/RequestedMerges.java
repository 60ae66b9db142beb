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
 * Requested merges that are waiting or in progress, one for each left range; and how long ranges
 * have been frozen, whatever the merge was requested by. Thread-safe.
 */
final class RequestedMerges {
  private static final Logger LOG = LoggerFactory.getLogger(RequestedMerges.class);

  private final Function<RangeId, @Nullable RangeId> followers;
  private final Map<RangeId, Wanted> waiting = new LinkedHashMap<>();
  private final Map<RangeId, Long> frozenSinceMillis = new HashMap<>();

  /** Left ranges whose merge was given up, and until when no merge starts automatically. */
  private final Map<RangeId, Long> coolUntilMillis = new HashMap<>();

  /** Right ranges that are frozen for a merge that an operator has canceled. */
  private final Set<RangeId> canceled = new HashSet<>();

  /** Why merges have not started, as of the latest check. */
  private Map<RangeId, String> obstacles = Map.of();

  private record Wanted(
      RangeId left, RangeId right, long untilMillis, CompletableFuture<Void> done) {}

  /** A merge that has ended, and the reason if it was not carried out. */
  private record Completion(Wanted wanted, @Nullable String why) {
    void complete() {
      if (why == null) {
        wanted.done.complete(null);
      } else {
        LOG.warn("Merge was not carried out: {} range={} next={}", why, wanted.left, wanted.right);
        wanted.done.completeExceptionally(new IllegalStateException(why));
      }
    }
  }

  /**
   * @param followers finds the right neighbour of a range; null if there is none
   */
  RequestedMerges(Function<RangeId, @Nullable RangeId> followers) {
    this.followers = followers;
  }

  /** A repeated request joins the one that is already waiting. */
  CompletableFuture<Void> add(RangeId left, long untilMillis) {
    RangeId right = followers.apply(left);
    if (right == null) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException("there is no range to the right of " + left));
    }
    synchronized (this) {
      return waiting.computeIfAbsent(
              left, id -> new Wanted(id, right, untilMillis, new CompletableFuture<>()))
          .done;
    }
  }

  /**
   * Merges that no operator requested: one starts if there is no other merge, and it was not given
   * up recently.
   */
  synchronized void addIdle(List<RangeId> idle, long untilMillis) {
    for (RangeId left : idle) {
      if (waiting.isEmpty() && frozenSinceMillis.isEmpty() && !coolUntilMillis.containsKey(left)) {
        add(left, untilMillis);
      }
    }
  }

  /** Whether a range is frozen, so that the next check is urgent. */
  synchronized boolean areUrgent() {
    return !frozenSinceMillis.isEmpty();
  }

  /** The merges to work on, given the current reports. */
  PlacementView.Merges update(
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      MergeSettings settings,
      long nowMillis) {
    Set<RangeId> frozen = frozen(published, reports);
    List<Completion> completions = new ArrayList<>();
    PlacementView.Merges now;
    synchronized (this) {
      coolUntilMillis.values().removeIf(until -> until <= nowMillis);
      frozenSinceMillis.keySet().retainAll(frozen);
      canceled.retainAll(frozen);
      frozen.forEach(range -> frozenSinceMillis.putIfAbsent(range, nowMillis));
      for (Wanted wanted : List.copyOf(waiting.values())) {
        Completion end = end(wanted, published, nowMillis);
        if (end != null) {
          waiting.remove(wanted.left);
          completions.add(end);
          if (end.why != null) {
            coolUntilMillis.put(wanted.left, nowMillis + settings.cooldown().toMillis());
          }
        }
      }
      Set<RangeId> late = new HashSet<>(frozen);
      long limit = nowMillis - settings.standstill().toMillis();
      late.removeIf(range -> frozenSinceMillis.getOrDefault(range, nowMillis) > limit);
      now =
          new PlacementView.Merges(
              List.copyOf(waiting.keySet()), Set.copyOf(late), Set.copyOf(canceled));
    }
    completions.forEach(Completion::complete);
    return now;
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

  /** Null while the merge continues. */
  private @Nullable Completion end(
      Wanted wanted, Map<RangeId, RangeDescriptor> published, long nowMillis) {
    RangeDescriptor left = published.get(wanted.left);
    RangeDescriptor right = published.get(wanted.right);
    if (right == null) {
      return new Completion(wanted, null);
    } else if (left == null || !Arrays.equals(left.interval().end(), right.interval().start())) {
      return new Completion(wanted, "the two ranges are no longer neighbours");
    } else if (nowMillis >= wanted.untilMillis && !frozenSinceMillis.containsKey(wanted.right)) {
      return new Completion(wanted, obstacles.getOrDefault(wanted.left, "the merge took too long"));
    }
    return null;
  }

  /**
   * Gives up a requested or started merge. If its right range is already frozen, it ends with the
   * next checks: both ranges resume, or the merge completes.
   *
   * @param range one of the two ranges
   * @param coolUntilMillis when the two may be merged again without an operator
   * @return false if the range is not being merged
   */
  boolean cancel(RangeId range, long coolUntilMillis) {
    List<Wanted> ended;
    boolean begun;
    synchronized (this) {
      ended =
          waiting.values().stream()
              .filter(wanted -> wanted.left.equals(range) || wanted.right.equals(range))
              .toList();
      List<RangeId> affected = new ArrayList<>(ended.stream().map(Wanted::right).toList());
      affected.add(range);
      RangeId follower = followers.apply(range);
      if (follower != null) {
        affected.add(follower);
      }
      affected.retainAll(frozenSinceMillis.keySet());
      canceled.addAll(affected);
      begun = !affected.isEmpty();
      for (Wanted wanted : ended) {
        waiting.remove(wanted.left);
        this.coolUntilMillis.put(wanted.left, coolUntilMillis);
      }
    }
    ended.forEach(wanted -> new Completion(wanted, "an operator has canceled it").complete());
    return begun || !ended.isEmpty();
  }

  /** Sets why requested merges have not started, by left range. */
  synchronized void setObstacles(Map<RangeId, String> why) {
    obstacles = Map.copyOf(why);
  }

  /** A step has ended, which may have given up a merge. */
  void ended(Step step, boolean done, long coolUntilMillis) {
    if (step instanceof Step.Renew renew && done) {
      Wanted wanted;
      synchronized (this) {
        this.coolUntilMillis.put(renew.range(), coolUntilMillis);
        wanted = waiting.remove(renew.range());
      }
      if (wanted != null) {
        new Completion(wanted, renew.why()).complete();
      }
    }
  }

  void giveUpAll(String why) {
    List<Wanted> all;
    synchronized (this) {
      all = List.copyOf(waiting.values());
      waiting.clear();
      frozenSinceMillis.clear();
      canceled.clear();
    }
    all.forEach(wanted -> new Completion(wanted, why).complete());
  }
}
