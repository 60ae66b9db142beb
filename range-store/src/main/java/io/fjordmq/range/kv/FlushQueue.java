package io.fjordmq.range.kv;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs flushes one at a time on its own thread. At most one is running and one is queued: requests
 * that arrive during a flush share the next one, which starts after all of them.
 */
final class FlushQueue implements AutoCloseable {
  private final Runnable flush;
  private final ExecutorService thread;

  /** The queued flush. Guarded by this. */
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
   * Flushes a last time and stops the thread.
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
        interrupted = true; // a flush cannot be aborted; restore the flag afterwards
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    flush.run();
  }
}
