package io.fjordmq.broker.accounts;

import io.fjordmq.broker.accounts.CredentialsException.Kind;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Computes password hashes of users, which are slow by design, on one thread with a bounded queue:
 * a flood of logins keeps only one processor busy. One source can occupy only a part of the queue,
 * so that others can still log in. Thread-safe.
 */
public final class PasswordThread implements AutoCloseable {
  private final ThreadPoolExecutor thread;

  /** The part of the queue that one source can occupy. */
  private static final int SHARE_OF_SOURCE = 4;

  private final int maxPerSource;
  private final Map<String, Integer> waitingBySource = new ConcurrentHashMap<>();
  private final long maxWaitNanos;
  private final AccountObserver observer;

  /**
   * @param maxWait time after which waiting work is refused, because its caller has given up
   */
  PasswordThread(int maxWaiting, Duration maxWait, AccountObserver observer) {
    this.maxPerSource = Math.max(1, maxWaiting / SHARE_OF_SOURCE);
    this.maxWaitNanos = maxWait.toNanos();
    this.observer = observer;
    thread =
        new ThreadPoolExecutor(
            1,
            1,
            10,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(maxWaiting),
            task -> new Thread(task, "api-password"));
    thread.allowCoreThreadTimeOut(true);
  }

  /**
   * Runs the work; fails with {@link Kind#BUSY} if the queue is full, if the source already has a
   * quarter of it, or if the wait was too long.
   *
   * @param source where the request comes from, such as an address; the queue entries of each
   *     source are limited
   */
  <T> CompletableFuture<T> run(String source, Supplier<T> work) {
    int waiting = waitingBySource.merge(source, 1, Integer::sum);
    CompletableFuture<T> result =
        waiting > maxPerSource ? CompletableFuture.failedFuture(busy()) : run(work);
    return result.whenComplete(
        (done, failure) ->
            waitingBySource.computeIfPresent(
                source, (same, count) -> count == 1 ? null : count - 1));
  }

  /**
   * Runs the work of a caller that is authenticated; fails with {@link Kind#BUSY} if the queue is
   * full or the wait was too long.
   */
  public <T> CompletableFuture<T> run(Supplier<T> work) {
    CompletableFuture<T> result = new CompletableFuture<>();
    long since = System.nanoTime();
    observer.addQueuedPasswords(1);
    try {
      thread.execute(
          () -> {
            observer.addQueuedPasswords(-1);
            if (System.nanoTime() - since > maxWaitNanos) {
              result.completeExceptionally(busy());
              return;
            }
            try {
              result.complete(work.get());
            } catch (RuntimeException | Error e) {
              result.completeExceptionally(e);
            }
          });
    } catch (RejectedExecutionException e) {
      observer.addQueuedPasswords(-1);
      result.completeExceptionally(busy());
    }
    return result;
  }

  private static CredentialsException busy() {
    return new CredentialsException(
        Kind.BUSY, "too many passwords are waiting to be checked; try again later");
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
