package io.fjordmq.broker.http;

import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Prepares pages of one kind, one at a time, on a thread that does not serve connections, so that a
 * slow page delays only pages of the same kind. The thread exists only while there is work.
 */
final class PageThread implements AutoCloseable {
  private static final int KEEP_ALIVE_SECONDS = 60;

  private final ThreadPoolExecutor thread;
  private final Duration timeout;

  /**
   * @param maxWaiting the maximum number of pages waiting for the thread
   * @param timeout the time limit for one page, including waiting
   */
  PageThread(String name, int maxWaiting, Duration timeout) {
    this.timeout = timeout;
    this.thread =
        new ThreadPoolExecutor(
            1,
            1,
            KEEP_ALIVE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(maxWaiting),
            task -> new Thread(task, name));
    thread.allowCoreThreadTimeOut(true);
  }

  /**
   * Prepares a page.
   *
   * @return a future that completes on any thread. It fails immediately with {@link
   *     RejectedExecutionException} if too many pages are waiting, and with {@link
   *     java.util.concurrent.TimeoutException} after the timeout
   */
  <T> CompletableFuture<T> prepare(Supplier<CompletableFuture<T>> page) {
    CompletableFuture<T> prepared = new CompletableFuture<>();
    Runnable task = () -> run(page, prepared);
    try {
      thread.execute(task);
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(e);
    }
    prepared.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS);
    // If the timeout has passed before the task was started, it need not be started anymore.
    prepared.whenComplete((done, fault) -> thread.remove(task));
    return prepared;
  }

  private static <T> void run(Supplier<CompletableFuture<T>> page, CompletableFuture<T> prepared) {
    try {
      page.get()
          .whenComplete(
              (text, fault) -> {
                if (fault == null) {
                  prepared.complete(text);
                } else {
                  prepared.completeExceptionally(fault);
                }
              });
    } catch (RuntimeException | Error e) {
      prepared.completeExceptionally(e);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
