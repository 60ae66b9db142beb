package io.fjordmq.retain;

import java.util.concurrent.atomic.AtomicLong;

/** The memory that the topic indexes of all replicas of a node share. Thread-safe. */
final class IndexSpace {
  private final long maxBytes;
  private final AtomicLong used = new AtomicLong();

  IndexSpace(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Takes some; false if there is not so much left. Then nothing was taken. */
  boolean take(long bytes) {
    if (used.addAndGet(bytes) <= maxBytes) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  void giveBack(long bytes) {
    used.addAndGet(-bytes);
  }
}
