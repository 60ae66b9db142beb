package io.fjordmq.cluster.consensus.transport;

import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

/** A worker thread that runs tasks in order and reports whether it is idle. Thread-safe. */
final class OrderedWorker implements Executor {
  private final ExecutorService pool;
  private final AtomicInteger unfinished = new AtomicInteger();

  /**
   * @param pool has at most one thread
   */
  OrderedWorker(ExecutorService pool) {
    this.pool = pool;
  }

  /**
   * @throws RejectedExecutionException if too many tasks are queued, or the worker has been closed
   */
  @Override
  public void execute(Runnable task) {
    unfinished.incrementAndGet();
    try {
      pool.execute(() -> run(task));
    } catch (RejectedExecutionException e) {
      unfinished.decrementAndGet();
      throw e;
    }
  }

  private void run(Runnable task) {
    try {
      task.run();
    } finally {
      unfinished.decrementAndGet();
    }
  }

  /** Returns whether all tasks have ended. */
  boolean isIdle() {
    return unfinished.get() == 0;
  }

  void shutdown() {
    pool.shutdown();
  }

  ExecutorService pool() {
    return pool;
  }
}
