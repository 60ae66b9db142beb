package io.fjordmq.cluster.membership;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Timers on a dedicated thread, in real time. */
final class ThreadTimers implements SerialTimers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadTimers.class);
  private static final long STOP_SECONDS = 5;

  private final ScheduledExecutorService thread;

  ThreadTimers(String name) {
    thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread created = new Thread(task, name);
              created.setDaemon(true);
              return created;
            });
  }

  @Override
  public long nowMillis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
  }

  @Override
  public void schedule(long delayMillis, Runnable task) {
    try {
      thread.schedule(() -> run(task), delayMillis, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException closed) {
      LOG.debug("Skipped a membership task: the node is shutting down");
    }
  }

  @Override
  public void execute(Runnable task) {
    schedule(0, task);
  }

  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      LOG.error("A membership task failed", e);
    }
  }

  /**
   * Cancels all scheduled tasks. Blocks until the running task has ended, for five seconds at most.
   */
  @Override
  public void close() {
    thread.shutdownNow();
    try {
      thread.awaitTermination(STOP_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
