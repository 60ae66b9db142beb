package io.fjordmq.broker;

import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Calls what has to be done from time to time, on a thread of its own. */
final class Sweeps implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Sweeps.class);

  private final ScheduledExecutorService thread;

  Sweeps(String threadName) {
    thread = Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, threadName));
  }

  /** A sweep that blocks delays the others. */
  void every(Duration period, String name, Runnable sweep) {
    thread.scheduleWithFixedDelay(
        () -> {
          try {
            sweep.run();
          } catch (RuntimeException e) {
            LOG.error("sweep of {} failed, the next one tries again", name, e);
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
        LOG.warn("a sweep still runs after 10 s; left behind");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
