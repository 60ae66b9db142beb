package io.fjordmq.broker.query;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Threads on which lists are selected and merged. Idle threads end. If too much work is queued,
 * further work is rejected.
 */
final class QueryThreads implements Executor, AutoCloseable {
  private static final int MAX_WAITING = 1_000;
  private static final int IDLE_SECONDS = 10;

  private final ThreadPoolExecutor threads;

  /**
   * @param name beginning of the names of the threads
   */
  QueryThreads(String name, int size) {
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            size,
            size,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MAX_WAITING),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /**
   * @throws QueryException if too much work is waiting
   */
  @Override
  public void execute(Runnable task) {
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      throw new QueryException(
          QueryException.Kind.UNAVAILABLE,
          threads.isShutdown()
              ? "this node is stopping"
              : "too many queries are waiting on this node; retry later");
    }
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
