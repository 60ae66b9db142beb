package io.fjordmq.api.plugin;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * What one range of a store has had to do, as its leader measured it.
 *
 * @param store {@code dist}, {@code inbox} or {@code retain}
 * @param range its name, for logs
 * @param age since it was made by a split or merge, or since this node has led it if that is less
 * @param requests commands and queries per second in each of the latest ten seconds
 * @param peakRequests most commands and queries in any second of the longer window in which idle
 *     ranges are found; never less than {@code requests.most()}
 * @param observed how much of the longer window has been measured here
 * @param busy share of a second, 0 to 1, in which its one apply thread worked, in each of the
 *     latest ten seconds
 * @param ioNanos mean time for which a command's writes kept the apply thread waiting for storage,
 *     in nanoseconds; 0 if there was none. The log's disk is not in it
 * @param sample makes {@link #keys}; sorting them costs something, so ask only when they matter
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
   * Sampled keys at which the range can be cut, ascending and with repetition: each stands for the
   * same share of the load, which is that of everything from this key to the next place where a cut
   * is allowed (one inbox bucket, one retained topic, one filter).
   */
  public List<byte[]> keys() {
    return sample.get();
  }

  /**
   * A figure over the latest ten seconds; those before the range's age count as 0.
   *
   * @param least its lowest second
   * @param mean of all
   * @param most its highest second
   */
  public record Spread(double least, double mean, double most) {}
}
