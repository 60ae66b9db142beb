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
 * What to do next about the shape of the ranges that a node leads: asks the strategy, and holds to
 * what no strategy may break. Used by one thread.
 *
 * <p>A range above the size limit is split whatever the strategy says of its load, and ranges that
 * would make one above half the limit are not merged.
 *
 * <p>One change at a time, that of the busiest range; after one, {@code pause} until the next;
 * nothing beyond the most ranges of a node; a cut only inside the range.
 */
public final class SplitPlanner {
  private static final Logger LOG = LoggerFactory.getLogger(SplitPlanner.class);

  private final SplitStrategy strategy;
  private final ShapeSettings settings;
  private final Map<String, SplitAdvice> latest = new HashMap<>();
  private Set<String> idle = Set.of();
  private Set<String> tooLarge = Set.of();
  private @Nullable Long changedAtMillis;
  private @Nullable String changedLast;
  private @Nullable String lastFault;

  /**
   * A range that this node leads, as it is asked about.
   *
   * @param start first key it may hold
   * @param end first key behind it; null if there is none
   * @param logCut whether its log has lost its first entry; it is not split before that
   * @param size how much it holds
   */
  public record Led(
      RangeLoad load, byte[] start, byte @Nullable [] end, boolean logCut, RangeSize size) {
    boolean cutsAt(byte[] key) {
      return Arrays.compareUnsigned(start, key) < 0
          && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }

    boolean isLeftOf(Led other) {
      return load.store().equals(other.load.store()) && Arrays.equals(end, other.start);
    }
  }

  /** What to do. */
  public sealed interface Step {
    /** Whose turn it is; of two, the left one. */
    String range();

    /** Cut a range in two. */
    record Split(String range, byte[] key) implements Step {}

    /** Make one of two neighbours. */
    record Merge(String left, String right) implements Step {
      @Override
      public String range() {
        return left;
      }
    }
  }

  /** Nothing has been said yet. */
  public SplitPlanner(SplitStrategy strategy, ShapeSettings settings) {
    this.strategy = strategy;
    this.settings = settings;
  }

  /**
   * The next change, if there should be one.
   *
   * @param led all ranges that this node leads, in the order of their stores and keys
   */
  public Optional<Step> next(List<Led> led, NodeLoad node, long nowMillis) {
    latest.keySet().retainAll(led.stream().map(range -> range.load().range()).toList());
    List<Wanted> wanted = new ArrayList<>();
    Set<String> mayMerge = new HashSet<>();
    Set<String> splitBySize = new HashSet<>();
    for (Led range : led) {
      SplitAdvice advice = advise(range, node);
      if (!(advice instanceof SplitAdvice.Split) && settings.isTooLarge(range.size())) {
        advice = bySize(range, node);
        splitBySize.add(range.load().range());
      }
      latest.put(range.load().range(), advice);
      if (advice instanceof SplitAdvice.Split split) {
        wanted.add(new Wanted(range.load(), split.key()));
      } else if (shouldMerge(range, range)) {
        mayMerge.add(range.load().range());
      }
    }
    idle = mayMerge;
    tooLarge = splitBySize;
    if (isPausing(nowMillis)) {
      return Optional.empty();
    }
    Optional<Step> next = wanted.isEmpty() ? merge(led) : Optional.of(busiest(wanted));
    if (next.isPresent()) {
      changedAtMillis = nowMillis;
    }
    return next;
  }

  @SuppressWarnings("ArrayRecordComponent") // a carrier; never compared
  private record Wanted(RangeLoad load, byte[] key) {}

  /** One that cannot be carried out does not keep the others from their turn. */
  private Step busiest(List<Wanted> wanted) {
    Wanted next =
        wanted.stream()
            .filter(one -> !one.load().range().equals(changedLast))
            .max(Comparator.comparingDouble(one -> one.load().requests().mean()))
            .orElse(wanted.get(0));
    changedLast = next.load().range();
    return new Step.Split(next.load().range(), next.key());
  }

  /** What was said last about each range that this node leads. */
  public Map<String, SplitAdvice> latest() {
    return Map.copyOf(latest);
  }

  /** The ranges that would become one with a neighbour that has as little to do. */
  public Set<String> idle() {
    return Set.copyOf(idle);
  }

  /** The ranges that are above the size limit, and not to be split because of their load. */
  public Set<String> tooLarge() {
    return Set.copyOf(tooLarge);
  }

  private boolean isPausing(long nowMillis) {
    return changedAtMillis != null && nowMillis - changedAtMillis < settings.pause().toMillis();
  }

  private SplitAdvice advise(Led range, NodeLoad node) {
    if (!settings.stores().contains(range.load().store())) {
      return new SplitAdvice.Keep(Reason.OFF);
    }
    @Nullable SplitAdvice advice;
    try {
      advice = strategy.advise(range.load(), node);
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      return failed(range, e.toString());
    }
    if (advice == null) {
      return failed(range, "it says nothing");
    } else if (!(advice instanceof SplitAdvice.Split split)) {
      return advice;
    } else if (!range.cutsAt(split.key())) {
      return failed(range, "it wants a " + advice + ", which is not inside");
    } else {
      return unlessPostponed(split, range, node);
    }
  }

  private static SplitAdvice bySize(Led range, NodeLoad node) {
    byte[] key = range.size().halvingKey();
    if (range.size().searchAbandoned()) {
      return new SplitAdvice.Keep(Reason.TOO_MANY_TOMBSTONES);
    }
    return key == null || !range.cutsAt(key)
        ? new SplitAdvice.Keep(Reason.NO_SPLIT_KEY)
        : unlessPostponed(new SplitAdvice.Split(key), range, node);
  }

  private static SplitAdvice unlessPostponed(SplitAdvice.Split split, Led range, NodeLoad node) {
    if (node.ranges() >= node.maxRanges()) {
      return new SplitAdvice.Keep(Reason.TOO_MANY_RANGES);
    }
    return range.logCut() ? split : new SplitAdvice.Keep(Reason.LOG_NOT_CUT);
  }

  private Optional<Step> merge(List<Led> led) {
    for (int i = 1; i < led.size(); i++) {
      Led left = led.get(i - 1);
      Led right = led.get(i);
      if (left.isLeftOf(right) && shouldMerge(left, right)) {
        return Optional.of(new Step.Merge(left.load().range(), right.load().range()));
      }
    }
    return Optional.empty();
  }

  private boolean shouldMerge(Led left, Led right) {
    try {
      return settings.stores().contains(left.load().store())
          && !settings.idleWindow().isZero()
          && settings.mayBecomeOne(left.size(), right.size())
          && strategy.shouldMerge(left.load(), right.load());
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      failed(left, e.toString());
      return false;
    }
  }

  /** Says it once, and again only when it fails in another way. */
  private SplitAdvice failed(Led range, String how) {
    if (!how.equals(lastFault)) {
      lastFault = how;
      LOG.warn(
          "Split strategy failed; leaving the range unchanged: {} strategy={} range={}",
          how,
          strategy.getClass().getName(),
          range.load().range());
    }
    return new SplitAdvice.Keep(Reason.FAILED);
  }
}
