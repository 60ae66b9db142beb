package io.fjordmq.retain;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The {@link RetainedTopicIndex} of one replica, while it fits into the shared memory. A replica
 * without an index scans its rows, until it is reopened and builds a new index. The apply thread
 * updates the index; any thread may read it.
 */
final class ReplicaIndex {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaIndex.class);

  private final IndexMemory budget;
  private volatile @Nullable RetainedTopicIndex current;
  private @Nullable RetainedTopicIndex building; // apply thread only, like all fields below
  private long bytes;

  ReplicaIndex(IndexMemory budget) {
    this.budget = budget;
  }

  /** Returns the index; null if it is incomplete or did not fit. */
  @Nullable RetainedTopicIndex current() {
    return current;
  }

  /** Starts a new index. The caller then adds every row and calls {@link #publish}. */
  void begin() {
    clear();
    building = new RetainedTopicIndex();
  }

  void publish() {
    current = building;
  }

  void add(byte[] key) {
    RetainedTopicIndex index = building;
    if (index == null) {
      return;
    }
    long more = RetainedTopicIndex.estimateBytes(key);
    if (budget.reserve(more)) {
      bytes += more;
      index.add(key);
    } else {
      long indexedBytes = bytes;
      clear();
      LOG.warn(
          "Index of retained topics is full; wildcard lookups scan all rows of a range until its"
              + " replica is reopened; raise retainConfig.maxIndexBytes indexedBytes={}",
          indexedBytes);
    }
  }

  /** Returns true if there is an index and it does not contain the topic of this row. */
  boolean isMissing(byte[] key) {
    RetainedTopicIndex index = building;
    return index != null && !index.contains(key);
  }

  void remove(byte[] key) {
    RetainedTopicIndex index = building;
    if (index != null) {
      long freed = index.remove(key);
      bytes -= freed;
      budget.release(freed);
    }
  }

  void clear() {
    current = null;
    building = null;
    budget.release(bytes);
    bytes = 0;
  }
}
