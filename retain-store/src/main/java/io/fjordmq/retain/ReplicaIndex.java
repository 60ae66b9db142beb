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

  private final IndexMemory space;
  private volatile @Nullable RetainedTopicIndex current;
  private @Nullable RetainedTopicIndex filling; // apply thread only, like all fields below
  private long bytes;

  ReplicaIndex(IndexMemory space) {
    this.space = space;
  }

  /** Returns the index; null if it is incomplete or did not fit. */
  @Nullable RetainedTopicIndex current() {
    return current;
  }

  /** Starts a new index. The caller then adds every row and calls {@link #ready}. */
  void begin() {
    clear();
    filling = new RetainedTopicIndex();
  }

  void ready() {
    current = filling;
  }

  void add(byte[] key) {
    RetainedTopicIndex index = filling;
    if (index == null) {
      return;
    }
    long more = RetainedTopicIndex.bytes(key);
    if (space.reserve(more)) {
      bytes += more;
      index.add(key);
    } else {
      clear();
      LOG.warn(
          "Index of retained topics is full: wildcard lookups in this range scan its "
              + "rows until it is reopened; raise retainConfig.maxIndexBytes");
    }
  }

  void remove(byte[] key) {
    RetainedTopicIndex index = filling;
    if (index != null) {
      long freed = index.remove(key);
      bytes -= freed;
      space.release(freed);
    }
  }

  void clear() {
    current = null;
    filling = null;
    space.release(bytes);
    bytes = 0;
  }
}
