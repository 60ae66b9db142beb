package io.fjordmq.api.plugin;

import java.util.HexFormat;

/**
 * The decision of a {@link SplitStrategy} about a range.
 *
 * @since 0.1.0
 */
public sealed interface SplitAdvice {

  /**
   * Split the range at this key.
   *
   * @param key first key of the right part; one of {@link RangeLoad#keys}, but not the first key of
   *     the range
   */
  record Split(byte[] key) implements SplitAdvice {
    @Override
    public String toString() {
      return "split at " + HexFormat.of().formatHex(key);
    }
  }

  /** Do not split the range. */
  record Keep(Reason reason) implements SplitAdvice {}

  /** The reason why a range is not split. The names are label values of a metric. */
  enum Reason {
    /** The load is too low. */
    COLD,
    /** The load is high, but has not been for long enough. */
    TOO_SHORT,
    /** The range was created too recently. */
    TOO_YOUNG,
    /** Storage is the bottleneck: two ranges would wait for the same disk. */
    STORAGE_IS_THE_LIMIT,
    /** The CPU is the bottleneck: two ranges would share the same processors. */
    CPU_IS_THE_LIMIT,
    /**
     * The log still contains its first entry, which an earlier version of FjordMQ wrote; one of the
     * next two checkpoints removes it. Set by the broker.
     */
    LOG_NOT_TRUNCATED,
    /** The node has reached its maximum number of ranges. */
    TOO_MANY_RANGES,
    /** Most of the load is on one key, which cannot be split. */
    ONE_HOT_KEY,
    /** No split key divides the load evenly enough. */
    UNEVEN,
    /** Too few keys were sampled to choose a split key. */
    TOO_FEW_KEYS,
    /** Any other reason that the strategy has. */
    OTHER,
    /** The strategy threw an exception; the broker logs it. Set by the broker. */
    FAILED,
    /** The strategy did not return in time. Set by the broker. */
    TOO_SLOW,
    /**
     * The range is larger than {@code splitConfig.maxRangeBytes}, but no split key divides it
     * evenly enough: most of it belongs to one inbox bucket, topic or filter. Set by the broker.
     */
    NO_SPLIT_KEY,
    /**
     * The range is larger than {@code splitConfig.maxRangeBytes}, but the search for a split key
     * encountered too many tombstones. The broker repeats it later. Set by the broker.
     */
    TOO_MANY_TOMBSTONES,
    /** Splitting by load is disabled for this store. Set by the broker. */
    OFF
  }
}
