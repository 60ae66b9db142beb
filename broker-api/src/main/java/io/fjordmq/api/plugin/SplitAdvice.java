package io.fjordmq.api.plugin;

import java.util.HexFormat;

/** What a {@link SplitStrategy} says about a range. */
public sealed interface SplitAdvice {

  /**
   * Cut it in two here.
   *
   * @param key first key of the right part; one of {@link RangeLoad#keys}, and not the range's
   *     first
   */
  record Split(byte[] key) implements SplitAdvice {
    @Override
    public String toString() {
      return "split at " + HexFormat.of().formatHex(key);
    }
  }

  /** Leave it. */
  record Keep(Reason reason) implements SplitAdvice {}

  /** Why a range stays as it is. The names are labels of a metric. */
  enum Reason {
    /** It has too little to do. */
    COLD,
    /** It has much to do, but not for long enough. */
    TOO_SHORT,
    /** It was made only a moment ago. */
    TOO_YOUNG,
    /** Storage is the limit: two ranges would wait for the same disk. */
    STORAGE_IS_THE_LIMIT,
    /** The processors are the limit: two ranges would share the same. */
    CPU_IS_THE_LIMIT,
    /**
     * Its log still has its first entry, which an earlier version wrote; a checkpoint or two cuts
     * it. Said by the broker.
     */
    LOG_NOT_CUT,
    /** The node holds as many ranges as it may. */
    TOO_MANY_RANGES,
    /** One key that cannot be cut has most of the load. */
    ONE_HOT_KEY,
    /** No cut halves the load well enough. */
    UNEVEN,
    /** Too few keys were seen to tell where. */
    TOO_FEW_KEYS,
    /** The strategy has a reason that is not among these. */
    OTHER,
    /** The strategy failed; the log says how. Said by the broker. */
    FAILED,
    /** The strategy has not answered in time. Said by the broker. */
    TOO_SLOW,
    /**
     * It is larger than {@code splitConfig.maxRangeBytes}, but no cut divides it well enough: most
     * of it belongs to one inbox bucket, topic or filter. Said by the broker.
     */
    NO_SPLIT_KEY,
    /**
     * It is larger than {@code splitConfig.maxRangeBytes}, but the search for the key to split it
     * at met too many deleted rows that are not compacted yet. It is repeated after a while. Said
     * by the broker.
     */
    TOO_MANY_TOMBSTONES,
    /** Ranges of this store are not split by their load. Said by the broker. */
    OFF
  }
}
