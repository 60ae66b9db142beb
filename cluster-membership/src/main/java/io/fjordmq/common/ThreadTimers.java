package io.fjordmq.common;

import io.fjordmq.common.net.EventLoops;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers on a dedicated thread, in real time. Thread-safe. */
public final class ThreadTimers implements Timers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadTimers.class);
  private static final long STOP_SECONDS = 5;

  private final String name;
  private final ScheduledThreadPoolExecutor thread;

  /**
   * @param name the name of the thread
   */
  public ThreadTimers(String name) {
    this.name = name;
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread created = new Thread(task, name);
              created.setDaemon(true);
              return created;
            });
    // Otherwise the thread would keep waiting for delayed tasks after the shutdown.
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public long nowNanos() {
    return System.nanoTime();
  }

  @Override
  public void schedule(long delayMillis, Runnable task) {
    scheduleNanos(TimeUnit.MILLISECONDS.toNanos(delayMillis), task);
  }

  @Override
  public void scheduleNanos(long delayNanos, Runnable task) {
    try {
      thread.schedule(() -> run(task), delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      LOG.debug("Skipped a timer task because the node is shutting down thread={}", name);
    }
  }

  @Override
  public void pauseNanos(long delayNanos, Runnable task) {
    boolean scheduled =
        EventLoops.scheduleOnCurrentLoop(
            delayNanos, () -> runUnlessClosed(task), () -> scheduleNanos(0, task));
    if (!scheduled) {
      scheduleNanos(delayNanos, task);
    }
  }

  private void runUnlessClosed(Runnable task) {
    if (!thread.isShutdown()) {
      run(task);
    }
  }

  /** Logs exceptions, which a scheduled executor would swallow. */
  private void run(Runnable task) {
    try {
      task.run();
    } catch (RejectedExecutionException closed) {
      LOG.debug("Rejected a timer task: the executor is closed thread={}", name, closed);
    } catch (RuntimeException e) {
      LOG.error("Timer task failed thread={}", name, e);
    }
  }

  /** Drops all scheduled tasks. Waits up to five seconds for the running task to end. */
  @Override
  public void close() {
    thread.shutdown();
    try {
      if (!thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn(
            "Timer task did not finish within {} s; continuing shutdown without it thread={}",
            STOP_SECONDS,
            name);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
