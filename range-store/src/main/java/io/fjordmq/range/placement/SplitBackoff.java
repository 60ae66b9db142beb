package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * Delays the retry of a requested split that failed, and doubles the delay with each failure,
 * because each attempt uses up a range number and a metadata write. Not thread-safe.
 */
final class SplitBackoff {
  /** Maximum delay, as a multiple of the first. */
  private static final int MAX_FACTOR = 32;

  private final Map<RangeId, Backoff> backoffs = new HashMap<>();

  private record Backoff(long pauseMillis, long untilMillis) {}

  boolean isPausing(RangeId range, long nowMillis) {
    Backoff last = backoffs.get(range);
    return last != null && nowMillis < last.untilMillis();
  }

  /**
   * Must be called when a split has failed.
   *
   * @param first delay after the first failure
   */
  void recordFailure(RangeId range, long nowMillis, Duration first) {
    Backoff before = backoffs.get(range);
    long pause =
        before == null
            ? first.toMillis()
            : Math.min(2 * before.pauseMillis(), MAX_FACTOR * first.toMillis());
    backoffs.put(range, new Backoff(pause, nowMillis + pause));
  }

  void reset(RangeId range) {
    backoffs.remove(range);
  }

  /** Forgets all other ranges. */
  void keepOnly(Set<RangeId> ranges) {
    backoffs.keySet().retainAll(ranges);
  }
}
