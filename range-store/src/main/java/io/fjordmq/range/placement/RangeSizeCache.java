package io.fjordmq.range.placement;

import io.fjordmq.range.RangeDescriptor;
import io.fjordmq.range.RangeId;
import io.fjordmq.range.kv.KvException;
import io.fjordmq.range.load.RangeSize;
import io.fjordmq.range.store.LedRange;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The sizes of the ranges that this node leads. Each range is measured every 30 s and whenever its
 * epoch changes, the most overdue first, at most {@value #MAX_PER_CALL} per call. Used by one
 * thread at a time, which may block on the storage.
 *
 * <p>A search for the halving key that finds none is repeated after 30 s, then after twice that, up
 * to 30 minutes; it is repeated at once if the range's epoch changes or its size changes by a
 * quarter.
 */
final class RangeSizeCache {
  /** Ranges measured per call, so that the results of a slow pass are available soon. */
  static final int MAX_PER_CALL = 10;

  static final long REFRESH_MILLIS = 30_000;
  static final long MAX_PAUSE_MILLIS = 30 * 60_000;

  private final ToLongFunction<RangeDescriptor> bytes;
  private final KeySearch search;
  private final long maxBytes;
  private final Map<RangeId, Measurement> measurements = new HashMap<>();

  /** Searches for the halving key of a range that holds the given number of bytes. */
  @FunctionalInterface
  interface KeySearch {
    RangeSize search(RangeDescriptor range, long bytes);
  }

  /**
   * @param failedSearch the latest search, if it found no key
   */
  private record Measurement(
      RangeSize size, long version, long atMillis, @Nullable FailedSearch failedSearch) {}

  /**
   * A search that found no key.
   *
   * @param bytes size of the range at that time
   * @param pauseMillis delay until the search is repeated
   */
  private record FailedSearch(long bytes, long atMillis, long pauseMillis, boolean abandoned) {
    boolean isStillValid(long bytesNow) {
      return Math.abs(bytesNow - bytes) < bytes / 4;
    }
  }

  /**
   * @param bytes estimates the size of a range; may throw {@link KvException}, like the search:
   *     then the size is unknown
   * @param maxBytes size above which a halving key is searched for; 0 for no limit
   */
  RangeSizeCache(ToLongFunction<RangeDescriptor> bytes, KeySearch search, long maxBytes) {
    this.bytes = bytes;
    this.search = search;
    this.maxBytes = maxBytes;
  }

  /** Measures the ranges that are due and forgets those that this node no longer leads. */
  void refresh(List<LedRange> ledRanges, long nowMillis) {
    measurements
        .keySet()
        .retainAll(
            ledRanges.stream().map(range -> range.descriptor().id()).collect(Collectors.toSet()));
    ledRanges.stream()
        .map(LedRange::descriptor)
        .filter(range -> measuredAtMillis(range) <= nowMillis - REFRESH_MILLIS)
        .sorted(Comparator.comparingLong(this::measuredAtMillis))
        .limit(MAX_PER_CALL)
        .forEach(range -> measurements.put(range.id(), measure(range, nowMillis)));
  }

  private long measuredAtMillis(RangeDescriptor range) {
    Measurement last = lastMeasurement(range);
    return last == null ? Long.MIN_VALUE : last.atMillis;
  }

  /** Returns the latest measurement, if the epoch of the range has not changed since. */
  private @Nullable Measurement lastMeasurement(RangeDescriptor range) {
    Measurement last = measurements.get(range.id());
    return last == null || last.version != range.epoch().version() ? null : last;
  }

  private Measurement measure(RangeDescriptor range, long nowMillis) {
    Measurement last = lastMeasurement(range);
    FailedSearch before = last == null ? null : last.failedSearch;
    long version = range.epoch().version();
    try {
      long currentBytes = bytes.applyAsLong(range);
      if (maxBytes == 0 || currentBytes <= maxBytes) {
        return new Measurement(RangeSize.of(currentBytes), version, nowMillis, null);
      }
      FailedSearch validFailure =
          before != null && before.isStillValid(currentBytes) ? before : null;
      if (validFailure != null && nowMillis - validFailure.atMillis < validFailure.pauseMillis) {
        RangeSize size = new RangeSize(currentBytes, null, validFailure.abandoned);
        return new Measurement(size, version, nowMillis, validFailure);
      }
      RangeSize size = search.search(range, currentBytes);
      return new Measurement(size, version, nowMillis, failedSearch(size, nowMillis, validFailure));
    } catch (KvException e) { // the storage reports its own failure
      return new Measurement(RangeSize.UNKNOWN, version, nowMillis, before);
    }
  }

  private static @Nullable FailedSearch failedSearch(
      RangeSize size, long nowMillis, @Nullable FailedSearch before) {
    if (size.halvingKey() != null) {
      return null;
    }
    long pause =
        before == null ? REFRESH_MILLIS : Math.min(2 * before.pauseMillis, MAX_PAUSE_MILLIS);
    return new FailedSearch(size.bytes(), nowMillis, pause, size.searchAbandoned());
  }

  /**
   * Returns the latest size measured in the range's current epoch; {@link RangeSize#UNKNOWN} if
   * there is none.
   */
  RangeSize get(LedRange range) {
    Measurement last = lastMeasurement(range.descriptor());
    return last == null ? RangeSize.UNKNOWN : last.size;
  }
}
