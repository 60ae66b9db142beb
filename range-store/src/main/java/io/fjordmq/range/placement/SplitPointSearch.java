package io.fjordmq.range.placement;

import io.fjordmq.range.KeyInterval;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.load.MedianSplitKey;
import io.fjordmq.range.store.LedRange;
import io.fjordmq.range.store.RangeSizes;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Finds the key at which a range is split at an operator's request. Thread-safe; does not block.
 */
final class SplitPointSearch {
  private final RangeSizes rangeSizes;

  SplitPointSearch(RangeSizes storage) {
    this.rangeSizes = storage;
  }

  /**
   * Where a range would be split at an operator's request.
   *
   * @param key null if the range cannot be split
   * @param noSplitReason why it cannot be split; empty if it can
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record SplitPoint(byte @Nullable [] key, String noSplitReason) {}

  /**
   * Returns the key that halves the load of a range; if fewer than 64 rows were sampled, or all of
   * them are the same, the key that halves its size.
   */
  CompletableFuture<SplitPoint> find(LedRange led) {
    if (!led.logTruncated()) {
      String reason =
          "the log of range %s has not been truncated yet; retry after the next checkpoint";
      return CompletableFuture.completedFuture(
          new SplitPoint(null, reason.formatted(led.descriptor().id())));
    }
    List<byte[]> sample = led.load().keys();
    byte[] byLoad = MedianSplitKey.nearest(sample);
    if (MedianSplitKey.isEnough(sample) && isInside(led, byLoad)) {
      return CompletableFuture.completedFuture(new SplitPoint(byLoad, ""));
    }
    return rangeSizes
        .halve(led.descriptor())
        .thenApply(
            size -> {
              byte[] key = size.halvingKey();
              return isInside(led, key)
                  ? new SplitPoint(key, "")
                  : new SplitPoint(null, noSplitReason(led, size.searchAbandoned()));
            });
  }

  private static String noSplitReason(LedRange led, boolean searchAbandoned) {
    RangeId range = led.descriptor().id();
    return searchAbandoned
        ? "no split key found for range %s: too many tombstones; retry in a few minutes, after"
                .formatted(range)
            + " RocksDB has compacted them"
        : "range %s cannot be split: all of its keys belong to one inbox bucket, topic or filter,"
                .formatted(range)
            + " which is the smallest unit";
  }

  private static boolean isInside(LedRange led, byte @Nullable [] key) {
    KeyInterval keys = led.descriptor().interval();
    return key != null && keys.contains(key) && !Arrays.equals(keys.start(), key);
  }
}
