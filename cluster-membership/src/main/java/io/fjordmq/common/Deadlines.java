package io.fjordmq.common;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Fails futures that do not complete in time. In contrast to {@link CompletableFuture#orTimeout}, a
 * future that completes in time starts no timer and wakes up no thread: while any future is
 * pending, a single task looks for late ones every {@link #INTERVAL}. Thread-safe.
 */
public final class Deadlines {
  /** By how much a future may exceed its time. */
  public static final Duration INTERVAL = Duration.ofMillis(100);

  private final Executor later =
      CompletableFuture.delayedExecutor(INTERVAL.toMillis(), TimeUnit.MILLISECONDS, Runnable::run);
  private final Set<Deadline> pending = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean watching = new AtomicBoolean();

  /** A pending future. Each is a different one, so it has no value to compare. */
  private static final class Deadline {
    private final CompletableFuture<?> future;
    private final long atNanos;

    private Deadline(CompletableFuture<?> future, long atNanos) {
      this.future = future;
      this.atNanos = atNanos;
    }
  }

  /**
   * Fails the future with a {@link TimeoutException} after some time, unless it completes before.
   * What depends on the future then runs on a thread of the JDK.
   *
   * @return the future
   */
  public <T> CompletableFuture<T> limit(CompletableFuture<T> future, Duration time) {
    if (!future.isDone()) {
      Deadline deadline = new Deadline(future, System.nanoTime() + time.toNanos());
      pending.add(deadline);
      future.whenComplete((result, failure) -> pending.remove(deadline));
      watch();
    }
    return future;
  }

  private void watch() {
    if (!watching.get() && watching.compareAndSet(false, true)) {
      later.execute(this::check);
    }
  }

  private void check() {
    long now = System.nanoTime();
    for (Deadline deadline : pending) {
      if (now - deadline.atNanos >= 0) {
        deadline.future.completeExceptionally(new TimeoutException());
      }
    }
    watching.set(false);
    if (!pending.isEmpty()) {
      watch();
    }
  }

  /** Returns the time from now until a time of {@link System#nanoTime}; at least zero. */
  public static Duration until(long nanos) {
    return Duration.ofNanos(Math.max(0, nanos - System.nanoTime()));
  }

  /** The number of pending futures. */
  int size() {
    return pending.size();
  }
}
