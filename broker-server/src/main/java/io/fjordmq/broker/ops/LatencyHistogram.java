package io.fjordmq.broker.ops;

import java.util.List;
import java.util.OptionalLong;

/**
 * A cumulative histogram of durations.
 *
 * @param buckets sorted by upper bound; each bucket includes those before it
 * @param count the number of all durations, including those above the last upper bound
 */
public record LatencyHistogram(List<Bucket> buckets, long count) {
  /** The empty histogram. */
  public static final LatencyHistogram EMPTY = new LatencyHistogram(List.of(), 0);

  /**
   * A bucket.
   *
   * @param upperNanos the upper bound
   * @param count the number of durations up to the upper bound
   */
  public record Bucket(long upperNanos, long count) {}

  /**
   * Estimates a quantile of the durations that were added since an earlier state of this histogram,
   * by linear interpolation within a bucket; at most the last upper bound. Empty if none were
   * added.
   *
   * @param quantile above 0, at most 1
   */
  public OptionalLong quantileNanosSince(LatencyHistogram earlier, double quantile) {
    long added = count - earlier.count;
    if (added <= 0 || buckets.isEmpty()) {
      return OptionalLong.empty();
    }
    double rank = quantile * added;
    long lowerNanos = 0;
    long below = 0;
    for (int i = 0; i < buckets.size(); i++) {
      long upTo =
          buckets.get(i).count - (i < earlier.buckets.size() ? earlier.buckets.get(i).count : 0);
      if (upTo >= rank && upTo > below) {
        double share = (rank - below) / (upTo - below);
        long width = buckets.get(i).upperNanos - lowerNanos;
        return OptionalLong.of(lowerNanos + Math.round(share * width));
      }
      lowerNanos = buckets.get(i).upperNanos;
      below = upTo;
    }
    return OptionalLong.of(lowerNanos);
  }
}
