package io.fjordmq.retain;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One replica's {@link RetainedTopicIndex}, as long as there is space for it. A replica without one
 * searches its rows; it gets its index back when it is opened anew. Changed by the apply thread,
 * read by any.
 */
final class ReplicaIndex {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaIndex.class);

  private final IndexSpace space;
  private volatile @Nullable RetainedTopicIndex current;
  private @Nullable RetainedTopicIndex filling; // the apply thread's, as all below
  private long bytes;

  ReplicaIndex(IndexSpace space) {
    this.space = space;
  }

  /** The index; null if there is none, or not yet. */
  @Nullable RetainedTopicIndex current() {
    return current;
  }

  /** The rows are read anew: each is added, then {@link #ready} is called. */
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
    if (space.take(more)) {
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
      long less = index.remove(key);
      bytes -= less;
      space.giveBack(less);
    }
  }

  void clear() {
    current = null;
    filling = null;
    space.giveBack(bytes);
    bytes = 0;
  }
}
