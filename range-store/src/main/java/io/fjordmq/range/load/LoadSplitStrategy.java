package io.fjordmq.range.load;

import io.fjordmq.api.plugin.NodeLoad;
import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.api.plugin.SplitAdvice;
import io.fjordmq.api.plugin.SplitAdvice.Reason;
import io.fjordmq.api.plugin.SplitStrategy;
import java.util.Map;

/**
 * Splits a range that was overloaded for a whole window, at the key that halves its load, unless
 * something other than the range is the bottleneck. A pure function. Thread-safe.
 */
public final class LoadSplitStrategy implements SplitStrategy {
  /** Neighbors are merged only if their combined load is below this share of the split limits. */
  private static final double MERGED_SHARE = 0.5;

  private final SplitMergeSettings rules;
  private final Map<String, SplitLimits> limits;

  /**
   * Creates a strategy for the ranges of the stores that have limits. It leaves other ranges
   * unchanged.
   *
   * @param rules rules for all stores
   * @param limits limits by store
   */
  public LoadSplitStrategy(SplitMergeSettings rules, Map<String, SplitLimits> limits) {
    this.rules = rules;
    this.limits = Map.copyOf(limits);
  }

  @Override
  public SplitAdvice advise(RangeLoad load, NodeLoad node) {
    SplitLimits limit = limits.get(load.store());
    if (limit == null || !isHot(load.requests().most(), load.busy().most(), limit)) {
      return keep(Reason.COLD);
    } else if (!isHot(load.requests().least(), load.busy().least(), limit)) {
      return keep(Reason.TOO_SHORT);
    } else if (load.age().compareTo(rules.minAge()) < 0) {
      return keep(Reason.TOO_YOUNG);
    } else if (node.ranges() >= node.maxRanges()) {
      return keep(Reason.TOO_MANY_RANGES);
    } else if (load.ioNanos() > limit.ioNanosLimit()) {
      return keep(Reason.STORAGE_IS_THE_LIMIT);
    } else if (node.cpu() > rules.cpuLimit()) {
      return keep(Reason.CPU_IS_THE_LIMIT);
    }
    return MedianSplitKey.of(load.keys());
  }

  private boolean isHot(double requests, double busy, SplitLimits limit) {
    return requests > limit.maxIoDensity() || busy > rules.maxBusy();
  }

  @Override
  public boolean shouldMerge(RangeLoad left, RangeLoad right) {
    SplitLimits limit = limits.get(left.store());
    return limit != null
        && !rules.mergeAfter().isZero()
        && left.observed().compareTo(rules.mergeAfter()) >= 0
        && right.observed().compareTo(rules.mergeAfter()) >= 0
        && left.peakRequests() + right.peakRequests() < MERGED_SHARE * limit.maxIoDensity()
        && left.busy().most() + right.busy().most() < MERGED_SHARE * rules.maxBusy();
  }

  private static SplitAdvice keep(Reason reason) {
    return new SplitAdvice.Keep(reason);
  }
}
