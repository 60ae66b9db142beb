package io.fjordmq.api.plugin;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * The load of one range, as measured by its leader.
 *
 * @param store {@code dist}, {@code inbox} or {@code retain}
 * @param range name of the range, for logs
 * @param age time since a split or merge created it, or since this node became its leader,
 *     whichever is shorter
 * @param requests commands and queries per second in each of the latest ten seconds
 * @param peakRequests maximum number of commands and queries in any second of a longer window,
 *     which is used to detect idle ranges; at least {@code requests.most()}
 * @param observed how much of that longer window this node has measured
 * @param busy utilization of its apply thread, 0 to 1, in each of the latest ten seconds
 * @param ioNanos mean time per command that the apply thread waited for storage, in nanoseconds,
 *     excluding log writes; 0 if there were no commands
 * @param sample computes {@link #keys} on demand, because sorting them is expensive
 * @since 0.1.0
 */
public record RangeLoad(
    String store,
    String range,
    Duration age,
    Spread requests,
    double peakRequests,
    Duration observed,
    Spread busy,
    double ioNanos,
    Supplier<List<byte[]>> sample) {

  /**
   * Returns sampled keys at which the range can be split, in ascending order and with duplicates.
   * Each sample represents an equal share of the load, namely the load from this key to the next
   * possible split point (one inbox bucket, one retained topic or one filter).
   */
  public List<byte[]> keys() {
    return sample.get();
  }

  /**
   * Statistics of a per-second value over the latest ten seconds. Seconds before the start of the
   * range's {@code age} count as 0.
   *
   * @param least lowest value of any second
   * @param mean mean of all seconds
   * @param most highest value of any second
   */
  public record Spread(double least, double mean, double most) {}
}
