package io.fjordmq.broker.session;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Limits how many subscriptions of resumed sessions this node restores concurrently. Otherwise a
 * few sessions with thousands of filters each would fill the queue of a route range, and every
 * SUBSCRIBE would wait behind them. First come, first served: a started session keeps its capacity
 * until all its subscriptions are restored, so that many large sessions do not all finish last.
 * Thread-safe.
 */
final class ResumeQueue {
  private record QueuedWork(
      int weight, Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

  private final int capacity;

  /** By session, in the order of arrival. */
  private final Map<Object, QueuedWork> waiting = new LinkedHashMap<>();

  private int runningWeight;

  /**
   * @param capacity maximum number of subscriptions in progress
   */
  ResumeQueue(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Runs the work when there is capacity: immediately on the caller's thread, or later on the
   * thread that completed earlier work or removed another session from the queue.
   *
   * @param session has at most one entry in the queue
   * @param weight maximum number of subscriptions that the work has in progress; work heavier than
   *     the capacity runs alone
   * @return completes with the work, or when the session leaves the queue. Callers continue
   *     asynchronously
   */
  CompletableFuture<Void> run(Object session, int weight, Supplier<CompletableFuture<Void>> work) {
    QueuedWork entry = new QueuedWork(weight, work, new CompletableFuture<>());
    synchronized (this) {
      waiting.put(session, entry);
    }
    startWaiting();
    return entry.done;
  }

  /** The session has ended: removes its work from the queue if it has not started. */
  void remove(Object session) {
    QueuedWork removed;
    synchronized (this) {
      removed = waiting.remove(session);
    }
    if (removed != null) {
      removed.done.complete(null);
      startWaiting(); // lighter work may have waited behind it
    }
  }

  private void startWaiting() {
    for (QueuedWork next = takeNext(); next != null; next = takeNext()) {
      CompletableFuture<Void> work = begin(next);
      QueuedWork started = next;
      if (work.isDone()) {
        finish(started, work); // iterate instead of recursing
      } else {
        work.whenComplete(
            (done, failure) -> {
              finish(started, work);
              startWaiting();
            });
      }
    }
  }

  /** An exception must neither leak capacity nor reach another session that runs the queue. */
  private static CompletableFuture<Void> begin(QueuedWork entry) {
    try {
      return entry.work.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized @Nullable QueuedWork takeNext() {
    Iterator<QueuedWork> queue = waiting.values().iterator();
    if (!queue.hasNext()) {
      return null;
    }
    QueuedWork next = queue.next();
    if (runningWeight > 0 && runningWeight + next.weight > capacity) {
      return null;
    }
    runningWeight += next.weight;
    queue.remove();
    return next;
  }

  private void finish(QueuedWork entry, CompletableFuture<Void> work) {
    synchronized (this) {
      runningWeight -= entry.weight;
    }
    work.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            entry.done.complete(null);
          } else {
            entry.done.completeExceptionally(failure);
          }
        });
  }

  /** Number of waiting sessions. */
  synchronized int waitingCount() {
    return waiting.size();
  }
}
