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
 * The sizes of the ranges that this node leads, each measured every 30 s and when the range has
 * changed its shape; the longest due first, at most {@value #MOST_AT_ONCE} at a time. For one
 * thread at a time, which may have to wait for the storage.
 *
 * <p>A search for the halving key that found none is repeated after 30 s, then after twice that, up
 * to 30 minutes; at once if the range has changed its shape, or its size by a quarter.
 */
final class KnownSizes {
  /** Of one time, so that others learn soon what was measured. */
  static final int MOST_AT_ONCE = 10;

  static final long AGAIN_MILLIS = 30_000;
  static final long LONGEST_PAUSE_MILLIS = 30 * 60_000;

  private final ToLongFunction<RangeDescriptor> bytes;
  private final KeySearch search;
  private final long maxBytes;
  private final Map<RangeId, Known> known = new HashMap<>();

  /** Looks for the halving key of a range that holds so many bytes. */
  @FunctionalInterface
  interface KeySearch {
    RangeSize of(RangeDescriptor range, long bytes);
  }

  /**
   * @param vainSearch the latest, if it found no key
   */
  private record Known(
      RangeSize size, long version, long atMillis, @Nullable FailedSearch vainSearch) {}

  /**
   * A search that found no key.
   *
   * @param bytes that the range had
   * @param pauseMillis until it is repeated
   */
  private record FailedSearch(long bytes, long atMillis, long pauseMillis, boolean abandoned) {
    boolean isStillTrue(long bytesNow) {
      return Math.abs(bytesNow - bytes) < bytes / 4;
    }
  }

  /**
   * @param bytes of a range; may throw {@link KvException}, like the search: then the size is not
   *     known
   * @param maxBytes size above which a halving key is looked for; 0 for no limit
   */
  KnownSizes(ToLongFunction<RangeDescriptor> bytes, KeySearch search, long maxBytes) {
    this.bytes = bytes;
    this.search = search;
    this.maxBytes = maxBytes;
  }

  /** Measures what is due, and forgets the ranges that are led here no more. */
  void look(List<LedRange> led, long nowMillis) {
    known
        .keySet()
        .retainAll(led.stream().map(range -> range.descriptor().id()).collect(Collectors.toSet()));
    led.stream()
        .map(LedRange::descriptor)
        .filter(range -> measuredAt(range) <= nowMillis - AGAIN_MILLIS)
        .sorted(Comparator.comparingLong(this::measuredAt))
        .limit(MOST_AT_ONCE)
        .forEach(range -> known.put(range.id(), measure(range, nowMillis)));
  }

  private long measuredAt(RangeDescriptor range) {
    Known last = lastOf(range);
    return last == null ? Long.MIN_VALUE : last.atMillis;
  }

  /** In this shape. */
  private @Nullable Known lastOf(RangeDescriptor range) {
    Known last = known.get(range.id());
    return last == null || last.version != range.epoch().version() ? null : last;
  }

  private Known measure(RangeDescriptor range, long nowMillis) {
    Known last = lastOf(range);
    FailedSearch before = last == null ? null : last.vainSearch;
    long version = range.epoch().version();
    try {
      long held = bytes.applyAsLong(range);
      if (maxBytes == 0 || held <= maxBytes) {
        return new Known(RangeSize.of(held), version, nowMillis, null);
      }
      FailedSearch same = before != null && before.isStillTrue(held) ? before : null;
      if (same != null && nowMillis - same.atMillis < same.pauseMillis) {
        RangeSize size = new RangeSize(held, null, same.abandoned);
        return new Known(size, version, nowMillis, same);
      }
      RangeSize size = search.of(range, held);
      return new Known(size, version, nowMillis, vain(size, nowMillis, same));
    } catch (KvException e) { // others say what is wrong with the storage
      return new Known(RangeSize.UNKNOWN, version, nowMillis, before);
    }
  }

  private static @Nullable FailedSearch vain(
      RangeSize size, long nowMillis, @Nullable FailedSearch before) {
    if (size.halvingKey() != null) {
      return null;
    }
    long pause =
        before == null ? AGAIN_MILLIS : Math.min(2 * before.pauseMillis, LONGEST_PAUSE_MILLIS);
    return new FailedSearch(size.bytes(), nowMillis, pause, size.searchAbandoned());
  }

  /** As measured last in this shape. */
  RangeSize of(LedRange range) {
    Known last = lastOf(range.descriptor());
    return last == null ? RangeSize.UNKNOWN : last.size;
  }
}
