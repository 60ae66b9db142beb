package io.fjordmq.range.load;

import io.fjordmq.range.load.SplitAdvice.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What to do next about the shape of the ranges that a node leads: asks the strategy, and holds to
 * what no strategy may break. Used by one thread.
 *
 * <p>One change at a time; after one, {@code pause} until the next; nothing beyond the most ranges
 * of a node; a cut only inside the range.
 */
final class ShapePlan {
  private static final Logger LOG = LoggerFactory.getLogger(ShapePlan.class);

  private final SplitStrategy strategy;
  private final Duration pause;
  private final Map<String, SplitAdvice> latest = new HashMap<>();
  private @Nullable Long changedAtMillis;
  private @Nullable String lastFault;

  /**
   * A range that this node leads, as it is asked about.
   *
   * @param start first key it may hold
   * @param end first key behind it; null if there is none
   */
  record Led(RangeLoad load, byte[] start, byte @Nullable [] end) {
    boolean cutsAt(byte[] key) {
      return Arrays.compareUnsigned(start, key) < 0
          && (end == null || Arrays.compareUnsigned(key, end) < 0);
    }

    boolean isLeftOf(Led other) {
      return load.store().equals(other.load.store()) && Arrays.equals(end, other.start);
    }
  }

  /** What to do. */
  sealed interface Step {
    /** Cut a range in two. */
    record Split(String range, byte[] key) implements Step {}

    /** Make one of two neighbours. */
    record Merge(String left, String right) implements Step {}
  }

  /**
   * @param pause between one change at this node and the next
   */
  ShapePlan(SplitStrategy strategy, Duration pause) {
    this.strategy = strategy;
    this.pause = pause;
  }

  /**
   * The next change, if there should be one.
   *
   * @param led all ranges that this node leads, in the order of their stores and keys
   */
  Optional<Step> next(List<Led> led, NodeLoad node, long nowMillis) {
    latest.keySet().retainAll(led.stream().map(range -> range.load().range()).toList());
    List<Step> wanted = new ArrayList<>();
    for (Led range : led) {
      SplitAdvice advice = advise(range, node);
      latest.put(range.load().range(), advice);
      if (advice instanceof SplitAdvice.Split split) {
        wanted.add(new Step.Split(range.load().range(), split.key()));
      }
    }
    Optional<Step> next = wanted.stream().findFirst().or(() -> merge(led));
    if (next.isEmpty() || isPausing(nowMillis)) {
      return Optional.empty();
    }
    changedAtMillis = nowMillis;
    return next;
  }

  /** What was said last about each range that this node leads. */
  Map<String, SplitAdvice> latest() {
    return Map.copyOf(latest);
  }

  private boolean isPausing(long nowMillis) {
    return changedAtMillis != null && nowMillis - changedAtMillis < pause.toMillis();
  }

  private SplitAdvice advise(Led range, NodeLoad node) {
    SplitAdvice advice;
    try {
      advice = strategy.advise(range.load(), node);
    } catch (RuntimeException e) {
      return failed(range, e.toString());
    }
    if (!(advice instanceof SplitAdvice.Split split)) {
      return advice;
    } else if (!range.cutsAt(split.key())) {
      return failed(range, "it wants a " + advice + ", which is not inside");
    }
    return node.ranges() >= node.maxRanges()
        ? new SplitAdvice.Stay(Reason.TOO_MANY_RANGES)
        : advice;
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
      return strategy.shouldMerge(left.load(), right.load());
    } catch (RuntimeException e) {
      failed(left, e.toString());
      return false;
    }
  }

  /** Says it once, and again only when it fails in another way. */
  private SplitAdvice failed(Led range, String how) {
    if (!how.equals(lastFault)) {
      lastFault = how;
      LOG.warn(
          "split strategy {} failed for range {}, which stays as it is: {}",
          strategy.getClass().getName(),
          range.load().range(),
          how);
    }
    return new SplitAdvice.Stay(Reason.FAILED);
  }
}
