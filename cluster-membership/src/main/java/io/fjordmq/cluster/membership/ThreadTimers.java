package io.fjordmq.cluster.membership;

import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread of its own and the machine's time. */
final class ThreadTimers implements SerialTimers, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(ThreadTimers.class);
  private static final long STOP_SECONDS = 5;

  private final ScheduledExecutorService thread;

  ThreadTimers(String name) {
    thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
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
      LOG.debug("nothing is done any more, the node stops");
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

  /** What is scheduled does not run any more. Blocks until nothing runs. */
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
