package io.fjordmq.range.kv;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs flushes one at a time on its own thread. At most one is running and one is queued: requests
 * that arrive during a flush share the next one, which starts after all of them.
 */
final class FlushQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FlushQueue.class);

  private final Runnable flush;
  private final Duration closeTimeout;
  private final ExecutorService thread;

  /** The queued flush. Guarded by this. */
  private @Nullable CompletableFuture<Void> waiting;

  private boolean closed;

  /**
   * @param closeTimeout how long {@link #close} waits for the last flush
   */
  FlushQueue(String threadName, Runnable flush, Duration closeTimeout) {
    this.flush = flush;
    this.closeTimeout = closeTimeout;
    this.thread = Executors.newSingleThreadExecutor(task -> new Thread(task, threadName));
  }

  synchronized CompletableFuture<Void> request() {
    if (closed) {
      return CompletableFuture.failedFuture(
          new KvException(KvException.Kind.CLOSED, "state storage is closed"));
    }
    CompletableFuture<Void> result = waiting;
    if (result == null) {
      result = new CompletableFuture<>();
      waiting = result;
      thread.execute(this::run);
    }
    return result;
  }

  private void run() {
    CompletableFuture<Void> current;
    synchronized (this) {
      current = waiting;
      waiting = null;
    }
    if (current == null) {
      return;
    }
    try {
      flush.run();
    } catch (RuntimeException | Error e) {
      current.completeExceptionally(e); // a checkpoint waits for the result
      return;
    }
    current.complete(null);
  }

  /**
   * Flushes a last time and stops the thread. A flush that does not return within the timeout, for
   * example because the disk hangs, is left running: the Raft log holds what is missing.
   *
   * @throws KvException if the last flush failed
   */
  @Override
  public void close() {
    CompletableFuture<Void> last;
    synchronized (this) {
      if (closed) {
        return;
      }
      last = request();
      closed = true;
    }
    thread.shutdown();
    if (!awaitEnd()) {
      LOG.error(
          "State storage flush did not finish within {} s; closing without it; the Raft log still"
              + " holds the unflushed writes",
          closeTimeout.toSeconds());
      return;
    }
    if (last.isCompletedExceptionally()) {
      try {
        last.join();
      } catch (CompletionException e) {
        if (e.getCause() instanceof KvException failure) {
          throw failure;
        }
        throw e;
      }
    }
  }

  /** Keeps waiting if the thread is interrupted, because a flush cannot be aborted. */
  private boolean awaitEnd() {
    long deadline = System.nanoTime() + closeTimeout.toNanos();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return thread.awaitTermination(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
