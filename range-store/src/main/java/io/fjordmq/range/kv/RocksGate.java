package io.fjordmq.range.kv;

import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Keeps calls out of a closed RocksDB: using a freed native handle ends the process. Everything
 * that touches one runs between {@link #enter} and {@link #leave}.
 */
final class RocksGate {
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private boolean shut;

  /**
   * @throws KvException if the storage is closed
   */
  void enter() {
    lock.readLock().lock();
    if (shut) {
      lock.readLock().unlock();
      throw new KvException(KvException.Kind.CLOSED, "state storage is closed");
    }
  }

  void leave() {
    lock.readLock().unlock();
  }

  /** Waits until nobody is inside and lets nobody in any more; false if that was done before. */
  boolean shut() {
    lock.writeLock().lock();
    try {
      boolean first = !shut;
      shut = true;
      return first;
    } finally {
      lock.writeLock().unlock();
    }
  }
}
