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
 * The votes that one driver moves because of the load: begun when {@link VoterLoad} has found
 * something to do at every look of a while, one change at a time for a store, and kept to until it
 * is done, whatever the load becomes meanwhile. The next driver does not know them: what it finds
 * half done it ends by number. For one thread at a time.
 */
final class VoterMoves {
  private static final Logger LOG = LoggerFactory.getLogger(VoterMoves.class);

  private final Map<String, Change> going = new HashMap<>();
  private final Map<String, Long> unevenSinceMillis = new HashMap<>();

  /** Of stores whose change an operator has canceled. */
  private final Map<String, Long> pausedUntilMillis = new HashMap<>();

  /**
   * One change of a store.
   *
   * @param voters of each range, as was wanted when it began
   */
  private record Change(List<VoterLoad.Move> moves, int voters, long untilMillis) {}

  /**
   * How patient it is.
   *
   * @param pause for how long the load must have been uneven, and nothing been moved, before a
   *     change begins
   * @param deadline how long a change may take before it is given up
   */
  record Patience(Duration pause, Duration deadline) {}

  /** Sees what has become of the moves under way and whether it is time for others. */
  PlacementView look(
      PlacementView view, List<StorePlacement> stores, Patience patience, long nowMillis) {
    Map<RangeId, VoterLoad.Move> moves = new HashMap<>();
    for (StorePlacement store : stores) {
      Map<RangeId, PlacedRange> ranges = rangesOf(view, store);
      end(view, store, ranges, nowMillis);
      begin(view, store, ranges, patience, nowMillis);
      Change change = going.get(store.store());
      if (change != null) {
        change.moves().forEach(move -> moves.put(move.range(), move));
      }
    }
    return view.with(moves);
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
    Change change = going.get(store.store());
    if (change == null) {
      return;
    }
    String hindrance = hindrance(view, store, ranges, change, nowMillis);
    boolean done = change.moves().stream().allMatch(move -> isDone(ranges.get(move.range()), move));
    if (done || hindrance != null) {
      going.remove(store.store());
      unevenSinceMillis.put(store.store(), nowMillis);
      LOG.info("Moving voters for load: {} moves={}", done ? "done" : hindrance, change.moves());
    }
  }

  private static boolean isDone(@Nullable PlacedRange range, VoterLoad.Move move) {
    return range != null && !hasVote(range, move.from()) && hasVote(range, move.to());
  }

  private static boolean hasVote(PlacedRange range, NodeId node) {
    return range.replicas().voters().contains(node);
  }

  /** Why it cannot go on; null if it can. */
  private static @Nullable String hindrance(
      PlacementView view,
      StorePlacement store,
      Map<RangeId, PlacedRange> ranges,
      Change change,
      long nowMillis) {
    if (nowMillis >= change.untilMillis()) {
      return "given up, it takes too long";
    } else if (store.voters() != change.voters()) {
      return "given up, another number of voters is wanted";
    }
    for (VoterLoad.Move move : change.moves()) {
      PlacedRange range = ranges.get(move.range());
      if (range == null || !(hasVote(range, move.from()) || hasVote(range, move.to()))) {
        return "given up, " + move.range() + " has changed meanwhile";
      } else if (!view.merges().wanted().isEmpty() || range.merging() != null) {
        return "given up, ranges are to be merged";
      }
      Set<NodeId> concerned = Nodes.with(range.replicas().voters(), move.to());
      if (!concerned.stream().allMatch(view::isUp) || range.retired().contains(move.to())) {
        return "given up, a node of " + move.range() + " is not up";
      }
    }
    return null;
  }

  private void begin(
      PlacementView view,
      StorePlacement store,
      Map<RangeId, PlacedRange> ranges,
      Patience patience,
      long nowMillis) {
    if (going.containsKey(store.store())
        || nowMillis < pausedUntilMillis.getOrDefault(store.store(), nowMillis)) {
      return;
    }
    List<PlacedRange> inOrder =
        ranges.values().stream()
            .sorted((a, b) -> Long.compare(a.id().number(), b.id().number()))
            .toList();
    List<VoterLoad.Move> moves = VoterLoad.next(view, store, inOrder);
    if (moves.isEmpty()) {
      unevenSinceMillis.remove(store.store());
      return;
    }
    unevenSinceMillis.putIfAbsent(store.store(), nowMillis);
    long since = Objects.requireNonNull(unevenSinceMillis.get(store.store()));
    if (nowMillis - since >= patience.pause().toMillis()) {
      long until = nowMillis + patience.deadline().toMillis();
      going.put(store.store(), new Change(moves, store.voters(), until));
      LOG.info("Moving voters for load: started moves={}", moves);
    }
  }

  /**
   * Gives a change up, with all its moves: what is half done ends by number.
   *
   * @param againAtMillis when the load may have votes of this store moved again, at the earliest
   * @return false if no vote of the range is moved
   */
  boolean cancel(RangeId range, long againAtMillis) {
    Change change = going.get(range.store());
    if (change == null || change.moves().stream().noneMatch(move -> move.range().equals(range))) {
      return false;
    }
    going.remove(range.store());
    unevenSinceMillis.remove(range.store());
    pausedUntilMillis.put(range.store(), againAtMillis);
    LOG.info("Moving voters for load: canceled by an operator moves={}", change.moves());
    return true;
  }
}
