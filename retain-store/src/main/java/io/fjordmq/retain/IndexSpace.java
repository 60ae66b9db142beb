package io.fjordmq.retain;

import java.util.concurrent.atomic.AtomicLong;

/** Memory budget that the topic indexes of all replicas on a node share. Thread-safe. */
final class IndexSpace {
  private final long maxBytes;
  private final AtomicLong used = new AtomicLong();

  IndexSpace(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Reserves bytes. Returns false, and reserves nothing, if fewer are left. */
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
