package io.fjordmq.range.placement;

import io.fjordmq.range.RangeId;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * After a split that a range's leader wished for was not done, it is tried again after a pause, and
 * after twice the pause each time it fails again: each try costs a number and a write to the
 * metadata. For one thread at a time.
 */
final class SplitBackoff {
  /** The longest pause, in first ones. */
  private static final int LONGEST = 32;

  private final Map<RangeId, Refused> refused = new HashMap<>();

  private record Refused(long pauseMillis, long untilMillis) {}

  boolean isPausing(RangeId range, long nowMillis) {
    Refused last = refused.get(range);
    return last != null && nowMillis < last.untilMillis();
  }

  /**
   * It was not done.
   *
   * @param first how long the first pause is
   */
  void failed(RangeId range, long nowMillis, Duration first) {
    Refused before = refused.get(range);
    long pause =
        before == null
            ? first.toMillis()
            : Math.min(2 * before.pauseMillis(), LONGEST * first.toMillis());
    refused.put(range, new Refused(pause, nowMillis + pause));
  }

  void done(RangeId range) {
    refused.remove(range);
  }

  /** Others are no more. */
  void keepOnly(Set<RangeId> ranges) {
    refused.keySet().retainAll(ranges);
  }
}
