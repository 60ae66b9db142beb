package io.fjordmq.broker.config;

import io.fjordmq.range.load.SplitMergeSettings;

/**
 * Settings for splitting and merging ranges by load and size. Settings specific to one store are in
 * the section of that store.
 *
 * @param strategy name of the plugin that supplies the SplitStrategy; empty for the built-in
 *     strategy
 * @param rules rules that apply to the ranges of all stores
 */
public record SplitConfig(String strategy, @Flattened SplitMergeSettings rules) {

  /* Sizes are RocksDB estimates, which include deleted rows and can be off by megabytes. With a
   * lower limit, ranges would be split over and over. SplitMergeSettings accepts lower limits for
   * tests.
   */
  private static final long MIN_MAX_RANGE_BYTES = 16 << 20;

  static final SplitConfig DEFAULTS = new SplitConfig("", SplitMergeSettings.DEFAULTS);

  public SplitConfig {
    long maxRangeBytes = rules.maxRangeBytes();
    if (maxRangeBytes > 0 && maxRangeBytes < MIN_MAX_RANGE_BYTES) {
      throw new IllegalArgumentException(
          "maxRangeBytes must be at least 16 MiB, or 0 for no limit, not "
              + maxRangeBytes
              + " bytes: sizes are estimates, and smaller ranges would be split repeatedly");
    }
  }
}
