package io.fjordmq.range.kv;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs flushes one after the other on a thread of its own. At most one runs and one waits: requests
 * that come while one runs share the next, which begins after all of them.
 */
final class FlushQueue implements AutoCloseable {
  private final Runnable flush;
  private final ExecutorService thread;

  /** The flush that has not begun yet. Guarded by this. */
  private @Nullable CompletableFuture<Void> waiting;

  private boolean closed;

  FlushQueue(String threadName, Runnable flush) {
    this.flush = flush;
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
    CompletableFuture<Void> mine;
    synchronized (this) {
      mine = waiting;
      waiting = null;
    }
    if (mine == null) {
      return;
    }
    try {
      flush.run();
    } catch (RuntimeException | Error e) {
      mine.completeExceptionally(e); // a checkpoint waits for it
      return;
    }
    mine.complete(null);
  }

  /**
   * Flushes a last time and ends the thread.
   *
   * @throws KvException if the last flush failed
   */
  @Override
  public void close() {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    thread.shutdown();
    boolean interrupted = false;
    while (true) {
      try {
        if (thread.awaitTermination(1, TimeUnit.MINUTES)) {
          break;
        }
      } catch (InterruptedException e) {
        interrupted = true; // a flush cannot be cut short; the caller learns it afterwards
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    flush.run();
  }
}
