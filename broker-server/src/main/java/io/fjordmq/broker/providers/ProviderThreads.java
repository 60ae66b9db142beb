package io.fjordmq.broker.providers;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads of one provider, which end when they are idle. They make calls and compute password
 * hashes, so one slow provider delays neither another nor an event loop.
 */
final class ProviderThreads implements Executor, AutoCloseable {
  /**
   * A call that timed out can leave a password hash behind, which is skipped when its turn comes.
   */
  private static final int TASKS_PER_CALL = 4;

  private final ThreadPoolExecutor threads;

  ProviderThreads(String name, ProviderLimits limits) {
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            limits.threads(),
            limits.threads(),
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(TASKS_PER_CALL * limits.maxConcurrent() + 1),
            task -> {
              Thread thread = new Thread(task, "auth-" + name + "-" + number.incrementAndGet());
              thread.setDaemon(true); // a provider that hangs must not keep the process alive
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  @Override
  public void execute(Runnable task) {
    threads.execute(task);
  }

  @Override
  public void close() {
    threads.shutdownNow();
  }
}
