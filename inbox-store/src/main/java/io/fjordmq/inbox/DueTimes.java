package io.fjordmq.inbox;

import java.util.Arrays;

/**
 * Tracks a lower bound of the first due time of each bucket, so that a search for due rows reads
 * only buckets that may have due rows. This is a hint: no applied state depends on it. Updated by
 * the apply thread; any thread may call {@link #earliest}.
 */
final class DueTimes {
  private final long[] byBucket = new long[InboxId.BUCKETS];
  private volatile long earliest;

  DueTimes() {
    clear();
  }

  void clear() {
    Arrays.fill(byBucket, InboxState.NEVER);
    earliest = InboxState.NEVER;
  }

  void add(int bucket, long dueAtMillis) {
    byBucket[bucket] = Math.min(byBucket[bucket], dueAtMillis);
    if (dueAtMillis < earliest) {
      earliest = dueAtMillis;
    }
  }

  boolean mayBeDue(int bucket, long nowMillis) {
    return byBucket[bucket] <= nowMillis;
  }

  /** Sets the first due time of a bucket after its due rows were processed. */
  void reset(int bucket, long dueAtMillis) {
    byBucket[bucket] = dueAtMillis;
  }

  /** Recomputes {@link #earliest}. Must be called after {@link #reset}. */
  void findEarliest() {
    long min = InboxState.NEVER;
    for (long time : byBucket) {
      min = Math.min(min, time);
    }
    earliest = min;
  }

  /** Returns a time before which nothing is due; {@link InboxState#NEVER} if nothing ever is. */
  long earliest() {
    return earliest;
  }
}
