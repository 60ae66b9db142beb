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
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The sizes of the ranges that this node leads, each measured every 30 s and when the range has
 * changed its shape; the longest due first, at most {@value #MOST_AT_ONCE} at a time. For one
 * thread at a time, which may have to wait for the storage.
 */
final class KnownSizes {
  /** Those are done well within the time that a judgement of all ranges may take. */
  static final int MOST_AT_ONCE = 10;

  static final long AGAIN_MILLIS = 30_000;

  private final Function<RangeDescriptor, RangeSize> measure;
  private final Map<RangeId, Known> known = new HashMap<>();

  private record Known(RangeSize size, long version, long atMillis) {}

  /**
   * @param measure may throw {@link KvException}; then the size is not known
   */
  KnownSizes(Function<RangeDescriptor, RangeSize> measure) {
    this.measure = measure;
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
        .forEach(
            range ->
                known.put(
                    range.id(), new Known(measure(range), range.epoch().version(), nowMillis)));
  }

  private long measuredAt(RangeDescriptor range) {
    Known last = known.get(range.id());
    return last == null || last.version != range.epoch().version() ? Long.MIN_VALUE : last.atMillis;
  }

  private RangeSize measure(RangeDescriptor range) {
    try {
      return measure.apply(range);
    } catch (KvException e) {
      return RangeSize.UNKNOWN; // others say what is wrong with the storage
    }
  }

  /** As measured last in this shape. */
  RangeSize of(LedRange range) {
    Known last = known.get(range.descriptor().id());
    return last == null || last.version != range.descriptor().epoch().version()
        ? RangeSize.UNKNOWN
        : last.size;
  }
}
