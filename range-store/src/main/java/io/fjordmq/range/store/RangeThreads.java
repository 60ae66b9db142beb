package io.fjordmq.range.store;

import io.fjordmq.range.Timers;
import java.time.InstantSource;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The real clock and threads of a node's ranges and their clients. Close it after them.
 *
 * <p>Queries beyond the limit are rejected; timers and supervisor tasks are few and never rejected.
 */
public final class RangeThreads implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RangeThreads.class);

  private final ScheduledThreadPoolExecutor timer;
  private final ThreadPoolExecutor queries;
  private final ExecutorService supervisor;
  private final ThreadPoolExecutor openers;

  /**
   * @param queryThreads threads that run queries; each may block on the disk
   * @param maxWaitingQueries maximum number of queries that wait for a thread
   */
  public RangeThreads(int queryThreads, int maxWaitingQueries) {
    timer = new ScheduledThreadPoolExecutor(1, named("range-timer"));
    timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    queries =
        new ThreadPoolExecutor(
            queryThreads,
            queryThreads,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(maxWaitingQueries),
            named("range-query"));
    queries.allowCoreThreadTimeOut(true);
    supervisor = Executors.newSingleThreadExecutor(named("range-supervisor"));
    int processors = Runtime.getRuntime().availableProcessors();
    openers =
        new ThreadPoolExecutor(
            processors,
            processors,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            named("range-opener"));
    openers.allowCoreThreadTimeOut(true); // they are only needed at startup
  }

  private static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> new Thread(task, name + "-" + count.incrementAndGet());
  }

  public Timers timers() {
    return new Timers() {
      @Override
      public long nowMillis() {
        return System.nanoTime() / 1_000_000;
      }

      @Override
      public void schedule(long delayMillis, Runnable task) {
        try {
          timer.schedule(() -> run(task), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
          LOG.debug("timer scheduled after shutdown", e);
        }
      }
    };
  }

  /** A scheduled executor would swallow exceptions. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException e) {
      LOG.debug("timer fired after shutdown", e);
    } catch (RuntimeException e) {
      LOG.error("Timer task failed", e);
    }
  }

  /** With a clock that always knows the time. */
  public RangeRuntime runtime(InstantSource clock) {
    return runtime(clock::millis);
  }

  /**
   * @param stamps see {@link RangeRuntime#stamps}
   */
  public RangeRuntime runtime(LongSupplier stamps) {
    return new RangeRuntime(stamps, timers(), queries, supervisor, openers);
  }

  /** Waits for running tasks; delayed ones are dropped. */
  @Override
  public void close() {
    timer.shutdown();
    queries.shutdown();
    supervisor.shutdown();
    openers.shutdown();
    try {
      for (ExecutorService executor : new ExecutorService[] {timer, queries, supervisor, openers}) {
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
          LOG.warn(
              "Range threads still run after a minute; not waiting for them any longer "
                  + "executor={}",
              executor);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
