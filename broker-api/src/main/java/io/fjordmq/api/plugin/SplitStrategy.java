package io.fjordmq.api.plugin;

/**
 * Decides when ranges are split and merged. Each node calls the strategy once a second for every
 * range that it leads, one call at a time, on a dedicated thread. The strategy must not block. If
 * all calls of one second together take longer than {@code splitConfig.strategyTimeout}, the broker
 * records {@link SplitAdvice.Reason#TOO_SLOW}, ignores the late results and does not call the
 * strategy again until it has returned.
 *
 * <p>The broker limits what a strategy can do: it splits only inside a range, only at valid split
 * keys and only one range per node at a time, and it observes the maximum number of ranges per node
 * and the configured rate. An exception counts as {@link SplitAdvice.Reason#FAILED} and leaves the
 * range unchanged.
 *
 * @since 0.1.0
 */
public interface SplitStrategy extends Extension {

  /** Decides whether to split a range, and where. */
  SplitAdvice advise(RangeLoad load, NodeLoad node);

  /**
   * Decides whether two adjacent ranges should be merged. If different nodes lead them, neither
   * node knows the load of the other's range. Each node then passes the load of its own range for
   * both parameters, and the ranges are merged only if both calls return true.
   *
   * @param left the range that ends where the other begins
   */
  default boolean shouldMerge(RangeLoad left, RangeLoad right) {
    return false;
  }
}
