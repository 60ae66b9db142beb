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
 * Merges that somebody has asked for and waits for; one for each left range. And since when ranges
 * stand still, whoever has asked for that. Thread-safe.
 */
final class WantedMerges {
  private static final Logger LOG = LoggerFactory.getLogger(WantedMerges.class);

  private final Function<RangeId, @Nullable RangeId> followers;
  private final Map<RangeId, Wanted> waiting = new LinkedHashMap<>();
  private final Map<RangeId, Long> stillSinceMillis = new HashMap<>();

  /** Left ranges whose merge was given up: until when none is begun by itself. */
  private final Map<RangeId, Long> coolUntilMillis = new HashMap<>();

  /** Right ranges that stand still for a merge that is to be given up at an operator's request. */
  private final Set<RangeId> canceled = new HashSet<>();

  /** Why the merges are not begun yet, as of the latest look. */
  private Map<RangeId, String> hindrances = Map.of();

  private record Wanted(
      RangeId left, RangeId right, long untilMillis, CompletableFuture<Void> done) {}

  /** Somebody who waits, and what he hears. */
  private record Completion(Wanted wanted, @Nullable String why) {
    void tell() {
      if (why == null) {
        wanted.done.complete(null);
      } else {
        LOG.warn("Merge was not carried out: {} range={} next={}", why, wanted.left, wanted.right);
        wanted.done.completeExceptionally(new IllegalStateException(why));
      }
    }
  }

  /**
   * @param followers the range whose keys begin where another one's end; null if there is none
   */
  WantedMerges(Function<RangeId, @Nullable RangeId> followers) {
    this.followers = followers;
  }

  /** Who asks for what is wanted already waits with the others. */
  CompletableFuture<Void> add(RangeId left, long untilMillis) {
    RangeId right = followers.apply(left);
    if (right == null) {
      return CompletableFuture.failedFuture(
          new IllegalArgumentException("no range follows " + left));
    }
    synchronized (this) {
      return waiting.computeIfAbsent(
              left, id -> new Wanted(id, right, untilMillis, new CompletableFuture<>()))
          .done;
    }
  }

  /** Nobody waits for these: one is begun if there is no other, and it was not just given up. */
  synchronized void addIdle(List<RangeId> wishes, long untilMillis) {
    for (RangeId left : wishes) {
      if (waiting.isEmpty() && stillSinceMillis.isEmpty() && !coolUntilMillis.containsKey(left)) {
        add(left, untilMillis);
      }
    }
  }

  /** Whether something stands still, so that it is urgent to look. */
  synchronized boolean areUrgent() {
    return !stillSinceMillis.isEmpty();
  }

  /** What is to be done next, of what is known now. */
  PlacementView.Merges look(
      Map<RangeId, RangeDescriptor> published,
      Map<NodeId, RangeReports> reports,
      MergeSettings settings,
      long nowMillis) {
    Set<RangeId> standingStill = standingStill(published, reports);
    List<Completion> told = new ArrayList<>();
    PlacementView.Merges now;
    synchronized (this) {
      coolUntilMillis.values().removeIf(until -> until <= nowMillis);
      stillSinceMillis.keySet().retainAll(standingStill);
      canceled.retainAll(standingStill);
      standingStill.forEach(range -> stillSinceMillis.putIfAbsent(range, nowMillis));
      for (Wanted wanted : List.copyOf(waiting.values())) {
        Completion end = end(wanted, published, nowMillis);
        if (end != null) {
          waiting.remove(wanted.left);
          told.add(end);
          if (end.why != null) {
            coolUntilMillis.put(wanted.left, nowMillis + settings.cooldown().toMillis());
          }
        }
      }
      Set<RangeId> late = new HashSet<>(standingStill);
      long limit = nowMillis - settings.standstill().toMillis();
      late.removeIf(range -> stillSinceMillis.getOrDefault(range, nowMillis) > limit);
      now =
          new PlacementView.Merges(
              List.copyOf(waiting.keySet()), Set.copyOf(late), Set.copyOf(canceled));
    }
    told.forEach(Completion::tell);
    return now;
  }

  private static Set<RangeId> standingStill(
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

  /** Null while it goes on. */
  private @Nullable Completion end(
      Wanted wanted, Map<RangeId, RangeDescriptor> published, long nowMillis) {
    RangeDescriptor left = published.get(wanted.left);
    RangeDescriptor right = published.get(wanted.right);
    if (right == null) {
      return new Completion(wanted, null);
    } else if (left == null || !Arrays.equals(left.interval().end(), right.interval().start())) {
      return new Completion(wanted, "it does not follow any more");
    } else if (nowMillis >= wanted.untilMillis && !stillSinceMillis.containsKey(wanted.right)) {
      return new Completion(wanted, hindrances.getOrDefault(wanted.left, "it took too long"));
    }
    return null;
  }

  /**
   * Gives a merge up that is wanted or has begun. One whose right range stands still ends with the
   * next looks: both ranges resume, or it is done already.
   *
   * @param range one of the two
   * @param coolUntilMillis when the two may be merged again without an operator
   * @return false if the range is not about to be merged
   */
  boolean cancel(RangeId range, long coolUntilMillis) {
    List<Wanted> ended;
    boolean begun;
    synchronized (this) {
      ended =
          waiting.values().stream()
              .filter(wanted -> wanted.left.equals(range) || wanted.right.equals(range))
              .toList();
      List<RangeId> still = new ArrayList<>(ended.stream().map(Wanted::right).toList());
      still.add(range);
      RangeId follower = followers.apply(range);
      if (follower != null) {
        still.add(follower);
      }
      still.retainAll(stillSinceMillis.keySet());
      canceled.addAll(still);
      begun = !still.isEmpty();
      for (Wanted wanted : ended) {
        waiting.remove(wanted.left);
        this.coolUntilMillis.put(wanted.left, coolUntilMillis);
      }
    }
    ended.forEach(wanted -> new Completion(wanted, "an operator has canceled it").tell());
    return begun || !ended.isEmpty();
  }

  /** Why merges that are wanted are not begun yet, by their left range. */
  synchronized void hindered(Map<RangeId, String> why) {
    hindrances = Map.copyOf(why);
  }

  /** A step is done; it may be one that gives a merge up. */
  void ended(Step step, boolean done, long coolUntilMillis) {
    if (step instanceof Step.Renew renew && done) {
      Wanted wanted;
      synchronized (this) {
        this.coolUntilMillis.put(renew.range(), coolUntilMillis);
        wanted = waiting.remove(renew.range());
      }
      if (wanted != null) {
        new Completion(wanted, renew.why()).tell();
      }
    }
  }

  void giveUpAll(String why) {
    List<Wanted> all;
    synchronized (this) {
      all = List.copyOf(waiting.values());
      waiting.clear();
      stillSinceMillis.clear();
      canceled.clear();
    }
    all.forEach(wanted -> new Completion(wanted, why).tell());
  }
}
