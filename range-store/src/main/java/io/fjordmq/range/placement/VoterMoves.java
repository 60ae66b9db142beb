package io.fjordmq.range.placement;

import io.fjordmq.cluster.NodeId;
import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The voter moves that one driver makes because of the load. A change starts after {@link
 * VoterLoadBalance} has found one at every check for a while; there is one change at a time for
 * each store, and it continues until it is complete, even if the load changes. The next driver does
 * not know about the change; its rules for the number of voters then clean up a half-finished one.
 * Not thread-safe.
 */
final class VoterMoves {
  private static final Logger LOG = LoggerFactory.getLogger(VoterMoves.class);

  private final Map<String, Change> running = new HashMap<>();
  private final Map<String, Long> unevenSinceMillis = new HashMap<>();

  /** Stores whose change an operator has canceled. */
  private final Map<String, Long> pausedUntilMillis = new HashMap<>();

  /**
   * One change in a store.
   *
   * @param voters voters of each range, as configured when the change started
   */
  private record Change(List<VoterLoadBalance.Move> moves, int voters, long untilMillis) {}

  /**
   * The timing of changes.
   *
   * @param pause how long the load must have been uneven, without any move, before a change starts
   * @param deadline time allowed for a change before it is abandoned
   */
  record Timing(Duration pause, Duration deadline) {}

  /** Ends changes that are complete or cannot continue, and starts new ones. */
  PlacementView update(
      PlacementView view, List<StorePlacement> stores, Timing timing, long nowMillis) {
    Map<RangeId, VoterLoadBalance.Move> moves = new HashMap<>();
    for (StorePlacement store : stores) {
      Map<RangeId, PlacedRange> ranges = rangesOf(view, store);
      end(view, store, ranges, nowMillis);
      begin(view, store, ranges, timing, nowMillis);
      Change change = running.get(store.store());
      if (change != null) {
        change.moves().forEach(move -> moves.put(move.range(), move));
      }
    }
    return view.withMoves(moves);
  }

  private static Map<RangeId, PlacedRange> rangesOf(PlacementView view, StorePlacement store) {
    Map<RangeId, PlacedRange> ranges = new HashMap<>();
    for (RangeDescriptor range : view.published().values()) {
      if (range.id().store().equals(store.store())) {
        ranges.put(range.id(), new PlacedRange(range, view.reports()));
      }
    }
    return ranges;
  }

  private void end(
      PlacementView view, StorePlacement store, Map<RangeId, PlacedRange> ranges, long nowMillis) {
    Change change = running.get(store.store());
    if (change == null) {
      return;
    }
    String obstacle = obstacle(view, store, ranges, change, nowMillis);
    boolean done = change.moves().stream().allMatch(move -> isDone(ranges.get(move.range()), move));
    if (done || obstacle != null) {
      running.remove(store.store());
      unevenSinceMillis.put(store.store(), nowMillis);
      if (done) {
        LOG.info("Moved voters to balance load moves={}", change.moves());
      } else {
        LOG.info("Abandoned moving voters to balance load: {} moves={}", obstacle, change.moves());
      }
    }
  }

  private static boolean isDone(@Nullable PlacedRange range, VoterLoadBalance.Move move) {
    return range != null && !isVoter(range, move.from()) && isVoter(range, move.to());
  }

  private static boolean isVoter(PlacedRange range, NodeId node) {
    return range.replicas().voters().contains(node);
  }

  /** Returns why the change cannot continue; null if it can. */
  private static @Nullable String obstacle(
      PlacementView view,
      StorePlacement store,
      Map<RangeId, PlacedRange> ranges,
      Change change,
      long nowMillis) {
    if (nowMillis >= change.untilMillis()) {
      return "timed out";
    } else if (store.voters() != change.voters()) {
      return "the number of voters changed";
    }
    for (VoterLoadBalance.Move move : change.moves()) {
      PlacedRange range = ranges.get(move.range());
      if (range == null || !(isVoter(range, move.from()) || isVoter(range, move.to()))) {
        return "range " + move.range() + " has changed";
      } else if (!view.merges().requested().isEmpty() || range.merging() != null) {
        return "a merge started";
      } else if (view.isPinned(move.range())) {
        return "an operator pinned range " + move.range();
      }
      Set<NodeId> involved = NodeSets.with(range.replicas().voters(), move.to());
      if (!involved.stream().allMatch(view::isUp) || range.retired().contains(move.to())) {
        return "a node of range " + move.range() + " is not UP";
      }
    }
    return null;
  }

  private void begin(
      PlacementView view,
      StorePlacement store,
      Map<RangeId, PlacedRange> ranges,
      Timing timing,
      long nowMillis) {
    if (running.containsKey(store.store())
        || nowMillis < pausedUntilMillis.getOrDefault(store.store(), nowMillis)) {
      return;
    }
    List<PlacedRange> inOrder =
        ranges.values().stream()
            .sorted((a, b) -> Long.compare(a.id().number(), b.id().number()))
            .toList();
    List<VoterLoadBalance.Move> moves = VoterLoadBalance.next(view, store, inOrder);
    if (moves.isEmpty()) {
      unevenSinceMillis.remove(store.store());
      return;
    }
    unevenSinceMillis.putIfAbsent(store.store(), nowMillis);
    long since = Objects.requireNonNull(unevenSinceMillis.get(store.store()));
    if (nowMillis - since >= timing.pause().toMillis()) {
      long until = nowMillis + timing.deadline().toMillis();
      running.put(store.store(), new Change(moves, store.voters(), until));
      LOG.info("Moving voters to balance load moves={}", moves);
    }
  }

  /**
   * Abandons a change with all its moves; the rules for the number of voters then clean up a
   * half-finished one.
   *
   * @param earliestRestartMillis earliest time of the next load-driven voter move in this store
   * @return false if no voter of the range is being moved
   */
  boolean cancel(RangeId range, long earliestRestartMillis) {
    Change change = running.get(range.store());
    if (change == null || change.moves().stream().noneMatch(move -> move.range().equals(range))) {
      return false;
    }
    running.remove(range.store());
    unevenSinceMillis.remove(range.store());
    pausedUntilMillis.put(range.store(), earliestRestartMillis);
    LOG.info(
        "Canceled moving voters to balance load: requested by an operator moves={}",
        change.moves());
    return true;
  }
}
