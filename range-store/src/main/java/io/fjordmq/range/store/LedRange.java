package io.fjordmq.range.store;

import io.fjordmq.api.plugin.RangeLoad;
import io.fjordmq.range.RangeDescriptor;
import java.util.Arrays;
import java.util.Comparator;

/**
 * A range that this node leads.
 *
 * @param descriptor the epoch and key interval for which the load was measured
 * @param writes commands per second, mean of the latest seconds
 * @param logTruncated whether the first entry of its log has been truncated; a range cannot be
 *     split before that
 */
public record LedRange(
    RangeDescriptor descriptor, RangeLoad load, double writes, boolean logTruncated) {
  /** By store, then by first key. */
  static final Comparator<LedRange> ORDER =
      Comparator.<LedRange, String>comparing(range -> range.descriptor().id().store())
          .thenComparing(range -> range.descriptor().interval().start(), Arrays::compareUnsigned);
}
