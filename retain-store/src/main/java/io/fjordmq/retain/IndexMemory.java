package io.fjordmq.retain;

import java.util.concurrent.atomic.AtomicLong;

/** Memory budget that the topic indexes of all replicas on a node share. Thread-safe. */
final class IndexMemory {
  private final long maxBytes;
  private final AtomicLong used = new AtomicLong();

  IndexMemory(long maxBytes) {
    this.maxBytes = maxBytes;
  }

  /** Reserves bytes. Returns false, and reserves nothing, if fewer remain. */
  boolean reserve(long bytes) {
    if (used.addAndGet(bytes) <= maxBytes) {
      return true;
    }
    used.addAndGet(-bytes);
    return false;
  }

  void release(long bytes) {
    used.addAndGet(-bytes);
  }
}
