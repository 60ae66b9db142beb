package io.fjordmq.range.load;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which range of those that a node leads to split or merge next: calls the strategy, and
 * enforces the rules that apply to every strategy. Not thread-safe.
 *
 * <ul>
 *   <li>A range above the size limit is split regardless of its load.
 *   <li>Ranges are not merged if the result would exceed half the size limit.
 *   <li>There is one change at a time, the busiest range first, and at least {@code cooldown}
 *       between two changes.
 *   <li>Nothing is split while the node has its maximum number of ranges.
 *   <li>A split key lies inside its range.
 * </ul>
 */
public final class SplitPlanner {
  private static final Logger LOG = LoggerFactory.getLogger(SplitPlanner.class);

  private final SplitStrategy strategy;
  private final Set<String> stores;
  private final SplitMergeSettings settings;
  private final Map<String, SplitAdvice> latestAdvice = new HashMap<>();
  private Set<String> idle = Set.of();
  private Set<String> tooLarge = Set.of();
  private @Nullable Long changedAtMillis;
  private @Nullable String lastSplitRange;
  private @Nullable String lastFailure;

  /**
   * A range that this node leads.
   *
   * @param start first key of its interval, inclusive
   * @param end end of its interval, exclusive; null for no upper bound
   * @param logTruncated whether its log has been truncated past the first entry; before that, the
   *     range is not split
   * @param size its size
   */
  public record Candidate(
      RangeLoad load, byte[] start, byte @Nullable [] end, boolean logTruncated, RangeSize size) {
    boolean canSplitAt(byte[] key) {
      return Arrays.compareUnsigned(start, key) < 0
          && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }

    boolean isLeftOf(Candidate other) {
      return load.store().equals(other.load.store()) && Arrays.equals(end, other.start);
    }
  }

  /** A split or merge. */
  public sealed interface Step {
    /** Returns the range to change; for a merge, the left of the two. */
    String range();

    /** Split a range. */
    record Split(String range, byte[] key) implements Step {}

    /** Merge two neighbors. */
    record Merge(String left, String right) implements Step {
      @Override
      public String range() {
        return left;
      }
    }
  }

  /**
   * Creates a planner.
   *
   * @param stores stores whose ranges are split by load and merged; ranges of other stores are only
   *     split by size
   */
  public SplitPlanner(SplitStrategy strategy, Set<String> stores, SplitMergeSettings settings) {
    this.strategy = strategy;
    this.stores = Set.copyOf(stores);
    this.settings = settings;
  }

  /**
   * Returns the next change, if any.
   *
   * @param candidates all ranges that this node leads, in the order of their stores and keys
   */
  public Optional<Step> next(List<Candidate> candidates, NodeLoad node, long nowMillis) {
    latestAdvice
        .keySet()
        .retainAll(candidates.stream().map(range -> range.load().range()).toList());
    List<RequestedSplit> splits = new ArrayList<>();
    Set<String> mayMerge = new HashSet<>();
    Set<String> splitBySize = new HashSet<>();
    for (Candidate range : candidates) {
      SplitAdvice advice = advise(range, node);
      if (!(advice instanceof SplitAdvice.Split) && settings.isTooLarge(range.size())) {
        advice = adviseBySize(range, node);
        splitBySize.add(range.load().range());
      }
      latestAdvice.put(range.load().range(), advice);
      if (advice instanceof SplitAdvice.Split split) {
        splits.add(new RequestedSplit(range.load(), split.key()));
      } else if (shouldMerge(range, range)) {
        mayMerge.add(range.load().range());
      }
    }
    idle = mayMerge;
    tooLarge = splitBySize;
    if (isCoolingDown(nowMillis)) {
      return Optional.empty();
    }
    Optional<Step> next = splits.isEmpty() ? nextMerge(candidates) : Optional.of(nextSplit(splits));
    if (next.isPresent()) {
      changedAtMillis = nowMillis;
    }
    return next;
  }

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record RequestedSplit(RangeLoad load, byte[] key) {}

  /**
   * Skips the range that was chosen last, so that a split that fails repeatedly does not block the
   * others.
   */
  private Step nextSplit(List<RequestedSplit> splits) {
    RequestedSplit next =
        splits.stream()
            .filter(split -> !split.load().range().equals(lastSplitRange))
            .max(Comparator.comparingDouble(split -> split.load().requests().mean()))
            .orElse(splits.get(0));
    lastSplitRange = next.load().range();
    return new Step.Split(next.load().range(), next.key());
  }

  /** Returns the latest advice for each range that this node leads. */
  public Map<String, SplitAdvice> latestAdvice() {
    return Map.copyOf(latestAdvice);
  }

  /** Returns the ranges that would be merged with a neighbor as idle as they are. */
  public Set<String> idle() {
    return Set.copyOf(idle);
  }

  /** Returns the ranges above the size limit that would not be split because of their load. */
  public Set<String> tooLarge() {
    return Set.copyOf(tooLarge);
  }

  private boolean isCoolingDown(long nowMillis) {
    return changedAtMillis != null && nowMillis - changedAtMillis < settings.cooldown().toMillis();
  }

  private SplitAdvice advise(Candidate range, NodeLoad node) {
    if (!stores.contains(range.load().store())) {
      return new SplitAdvice.Keep(Reason.OFF);
    }
    @Nullable SplitAdvice advice;
    try {
      advice = strategy.advise(range.load(), node);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      return onStrategyFailure(range, e.toString());
    }
    if (advice == null) {
      return onStrategyFailure(range, "the strategy returned null");
    } else if (!(advice instanceof SplitAdvice.Split split)) {
      return advice;
    } else if (!range.canSplitAt(split.key())) {
      return onStrategyFailure(
          range, "the strategy returned a split key outside the range: " + advice);
    } else {
      return unlessPostponed(split, range, node);
    }
  }

  private static SplitAdvice adviseBySize(Candidate range, NodeLoad node) {
    byte[] key = range.size().halvingKey();
    if (range.size().searchAbandoned()) {
      return new SplitAdvice.Keep(Reason.TOO_MANY_TOMBSTONES);
    }
    return key == null || !range.canSplitAt(key)
        ? new SplitAdvice.Keep(Reason.NO_SPLIT_KEY)
        : unlessPostponed(new SplitAdvice.Split(key), range, node);
  }

  private static SplitAdvice unlessPostponed(
      SplitAdvice.Split split, Candidate range, NodeLoad node) {
    if (node.ranges() >= node.maxRanges()) {
      return new SplitAdvice.Keep(Reason.TOO_MANY_RANGES);
    }
    return range.logTruncated() ? split : new SplitAdvice.Keep(Reason.LOG_NOT_TRUNCATED);
  }

  private Optional<Step> nextMerge(List<Candidate> candidates) {
    for (int i = 1; i < candidates.size(); i++) {
      Candidate left = candidates.get(i - 1);
      Candidate right = candidates.get(i);
      if (left.isLeftOf(right) && shouldMerge(left, right)) {
        return Optional.of(new Step.Merge(left.load().range(), right.load().range()));
      }
    }
    return Optional.empty();
  }

  private boolean shouldMerge(Candidate left, Candidate right) {
    try {
      return stores.contains(left.load().store())
          && !settings.mergeAfter().isZero()
          && settings.canMerge(left.size(), right.size())
          && strategy.shouldMerge(left.load(), right.load());
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      onStrategyFailure(left, e.toString());
      return false;
    }
  }

  /** Logs a failure, unless it equals the previous one. */
  private SplitAdvice onStrategyFailure(Candidate range, String cause) {
    if (!cause.equals(lastFailure)) {
      lastFailure = cause;
      LOG.warn(
          "Split strategy failed; not splitting or merging the range: {} strategy={} range={}",
          cause,
          strategy.getClass().getName(),
          range.load().range());
    }
    return new SplitAdvice.Keep(Reason.FAILED);
  }
}
