package io.fjordmq.auth.connection;

import io.fjordmq.api.auth.ProviderException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs the calls of a library that blocks, on a bounded number of threads, which end when they are
 * idle. The caller bounds the number of calls by canceling those that take too long: a canceled
 * call that has not begun leaves the queue, and one that has begun ends by the time limits of the
 * library. Thread-safe.
 */
public final class BlockingCalls implements AutoCloseable {
  private static final int IDLE_SECONDS = 10;

  /** Far more than the broker lets wait; only a provider that never responds could reach it. */
  private static final int MAX_QUEUED = 20_000;

  /** A call of the library. */
  @FunctionalInterface
  public interface Call<T> {
    /**
     * Makes the call; may block.
     *
     * @throws ProviderException if there is no result
     */
    T run() throws ProviderException;
  }

  private final ThreadPoolExecutor threads;

  /**
   * @param name the beginning of the threads' names
   * @param maxThreads the number of calls that run at the same time
   */
  public BlockingCalls(String name, int maxThreads) {
    AtomicInteger number = new AtomicInteger();
    threads =
        new ThreadPoolExecutor(
            maxThreads,
            maxThreads,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(MAX_QUEUED),
            task -> {
              Thread thread = new Thread(task, name + "-" + number.incrementAndGet());
              thread.setDaemon(true); // a server that hangs must not keep the process alive
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
  }

  /** Runs a call. The future fails with what the call throws. */
  public <T> CompletableFuture<T> submit(Call<T> call) {
    Task<T> task = new Task<>(call);
    try {
      threads.execute(task);
    } catch (RejectedExecutionException e) {
      task.refuse(threads.isShutdown() ? "the provider is closed" : "too many calls are waiting");
      return task.result;
    }
    task.result.whenComplete(
        (done, error) -> {
          if (task.result.isCancelled()) {
            threads.remove(task);
          }
        });
    return task.result;
  }

  /** Interrupts the calls that run, and refuses those that wait. Does not block. */
  @Override
  public void close() {
    for (Runnable task : threads.shutdownNow()) {
      if (task instanceof Task<?> waiting) {
        waiting.refuse("the provider is closed");
      }
    }
  }

  private static final class Task<T> implements Runnable {
    private final Call<T> call;
    private final CompletableFuture<T> result = new CompletableFuture<>();

    private Task(Call<T> call) {
      this.call = call;
    }

    private void refuse(String reason) {
      result.completeExceptionally(new ProviderException(reason, false, null));
    }

    @Override
    public void run() {
      if (result.isDone()) {
        return;
      }
      try {
        result.complete(call.run());
      } catch (ProviderException | RuntimeException | LinkageError | StackOverflowError e) {
        result.completeExceptionally(e);
      }
    }
  }
}
