package io.fjordmq.broker.userdb;

import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;

/**
 * Counts changes of records, so that a client notices changes of the records that concern it
 * without looking them up. Records share counters, so it can also notice changes of others.
 * Thread-safe.
 */
final class ChangeCounters {
  private static final int COUNTERS = 4_096;

  private final AtomicLongArray counts = new AtomicLongArray(COUNTERS);

  /** Called after the change is visible. */
  void increment(String key) {
    counts.incrementAndGet(indexOf(key));
  }

  /** Counts a change of every record. */
  void incrementAll() {
    for (int i = 0; i < COUNTERS; i++) {
      counts.incrementAndGet(i);
    }
  }

  private static int indexOf(String key) {
    int hash = key.hashCode();
    return (hash ^ (hash >>> 16)) & (COUNTERS - 1);
  }

  /** A set of keys at a time. */
  Snapshot snapshot(List<String> keys) {
    int[] indexes = keys.stream().mapToInt(ChangeCounters::indexOf).toArray();
    return new Snapshot(indexes, sum(indexes));
  }

  /** Counters only grow, so their sum changes with each of them. */
  private long sum(int[] indexes) {
    long sum = 0;
    for (int index : indexes) {
      sum += counts.get(index);
    }
    return sum;
  }

  /** Tells whether none of the records has changed since. */
  final class Snapshot implements BooleanSupplier {
    private final int[] indexes;
    private final long sum;

    private Snapshot(int[] indexes, long sum) {
      this.indexes = indexes;
      this.sum = sum;
    }

    @Override
    public boolean getAsBoolean() {
      return sum(indexes) == sum;
    }
  }
}
