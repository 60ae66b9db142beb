package io.fjordmq.inbox;

import java.util.Arrays;

/**
 * For each bucket a time at or before its first due row, so that looking for due rows touches only
 * buckets that may have some. A hint: nothing that is applied depends on it. Written by the apply
 * thread; {@link #earliest} may be read by any.
 */
final class DueTimes {
  private final long[] byBucket = new long[InboxKeys.BUCKETS];
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

  /** The bucket was looked through: this is its first due row now. */
  void reset(int bucket, long dueAtMillis) {
    byBucket[bucket] = dueAtMillis;
  }

  /** To be called after {@link #reset}s. */
  void findEarliest() {
    long least = InboxState.NEVER;
    for (long time : byBucket) {
      least = Math.min(least, time);
    }
    earliest = least;
  }

  /** Nothing is due before; {@link InboxState#NEVER} if nothing at all. */
  long earliest() {
    return earliest;
  }
}
