package io.fjordmq.broker.lifecycle;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs periodic tasks on a dedicated thread. */
public final class PeriodicTasks implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PeriodicTasks.class);

  private final ScheduledExecutorService thread;

  public PeriodicTasks(String threadName) {
    thread = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, threadName));
  }

  /** Runs the task with a fixed delay. A task that blocks delays the others. */
  public void every(Duration period, String name, Runnable task) {
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            task.run();
          } catch (RuntimeException e) {
            LOG.error("Periodic task failed; retrying at the next interval task={}", name, e);
          }
        },
        period.toMillis(),
        period.toMillis(),
        TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
        LOG.warn("Periodic tasks did not stop within 10 s; continuing shutdown without them");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
