package io.fjordmq.range.store;

import io.fjordmq.cluster.ClusterLevel;
import io.fjordmq.common.ThreadTimers;
import io.fjordmq.common.Timers;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
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

  private final ThreadTimers timers = new ThreadTimers("range-timer");
  private final ThreadPoolExecutor queries;
  private final Duration maxQueryWait;
  private final ExecutorService supervisor;
  private final ThreadPoolExecutor openers;
  private final ExecutorService background;

  /**
   * Creates threads whose queries wait for at most five seconds.
   *
   * @param queryThreads threads that run queries; each may block on the disk
   * @param maxWaitingQueries maximum number of queries that wait for a thread
   */
  public RangeThreads(int queryThreads, int maxWaitingQueries) {
    this(queryThreads, maxWaitingQueries, RangeRuntime.DEFAULT_MAX_QUERY_WAIT);
  }

  /**
   * @param queryThreads threads that run queries; each may block on the disk
   * @param maxWaitingQueries maximum number of queries that wait for a thread
   * @param maxQueryWait see {@link RangeRuntime#maxQueryWait}
   */
  public RangeThreads(int queryThreads, int maxWaitingQueries, Duration maxQueryWait) {
    this.maxQueryWait = maxQueryWait;
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
    int opening = Math.max(2, Runtime.getRuntime().availableProcessors());
    openers =
        new ThreadPoolExecutor(
            opening,
            opening,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            named("range-opener"));
    openers.allowCoreThreadTimeOut(true); // they are only needed at startup
    ThreadFactory backgroundThreads = named("range-background");
    background =
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = backgroundThreads.newThread(task);
              thread.setPriority(Thread.MIN_PRIORITY);
              return thread;
            });
  }

  private static ThreadFactory named(String name) {
    AtomicInteger count = new AtomicInteger();
    return task -> new Thread(task, name + "-" + count.incrementAndGet());
  }

  public Timers timers() {
    return timers;
  }

  /** Returns the runtime, with a clock that always knows the time, and the first level. */
  public RangeRuntime runtime(InstantSource clock) {
    return runtime(clock::millis, ClusterLevel.first());
  }

  /**
   * @param stamps see {@link RangeRuntime#clusterTimeMillis}
   * @param level see {@link RangeRuntime#level}
   */
  public RangeRuntime runtime(LongSupplier stamps, ClusterLevel level) {
    return new RangeRuntime(
        stamps, level, timers, queries, maxQueryWait, supervisor, openers, background);
  }

  /** Waits for running tasks; delayed ones are dropped. */
  @Override
  public void close() {
    timers.close();
    queries.shutdown();
    supervisor.shutdown();
    openers.shutdown();
    background.shutdown();
    try {
      for (ExecutorService executor : List.of(queries, supervisor, openers, background)) {
        if (!executor.awaitTermination(1, TimeUnit.MINUTES)) {
          LOG.warn(
              "Range threads did not stop within a minute; continuing shutdown without them "
                  + "executor={}",
              executor);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
