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
 * SUBSCRIBE would wait behind them. Sessions are served in order of arrival. A session that has
 * started keeps its share of the capacity until all of its subscriptions are restored; otherwise,
 * many large sessions would progress in parallel and all finish late. Thread-safe.
 */
final class ResumeQueue {
  private record QueuedWork(
      int weight, Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

  private final int capacity;

  /** The waiting work by session, in the order of arrival. */
  private final Map<Object, QueuedWork> waiting = new LinkedHashMap<>();

  private int runningWeight;

  /**
   * @param capacity the maximum number of subscriptions in progress
   */
  ResumeQueue(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Runs the work when there is capacity: immediately on the caller's thread, or later on the
   * thread that completes earlier work or removes another session from the queue.
   *
   * @param session the session, which has at most one entry in the queue
   * @param weight the maximum number of subscriptions that the work has in progress; work that
   *     exceeds the capacity runs alone
   * @return a future that completes, on any thread, when the work completes or the session leaves
   *     the queue; callers must continue asynchronously
   */
  CompletableFuture<Void> run(Object session, int weight, Supplier<CompletableFuture<Void>> work) {
    QueuedWork entry = new QueuedWork(weight, work, new CompletableFuture<>());
    synchronized (this) {
      waiting.put(session, entry);
    }
    startWaiting();
    return entry.done;
  }

  /** Removes the work of an ended session from the queue, unless the work has already started. */
  void remove(Object session) {
    QueuedWork removed;
    synchronized (this) {
      removed = waiting.remove(session);
    }
    if (removed != null) {
      removed.done.complete(null);
      startWaiting(); // lighter work may have been waiting behind it
    }
  }

  private void startWaiting() {
    for (QueuedWork next = takeNext(); next != null; next = takeNext()) {
      CompletableFuture<Void> work = begin(next);
      QueuedWork started = next;
      if (work.isDone()) {
        finish(started, work); // iterate here instead of recursing
      } else {
        work.whenComplete(
            (done, failure) -> {
              finish(started, work);
              startWaiting();
            });
      }
    }
  }

  /**
   * Starts the work. An exception must neither leak capacity nor propagate to another session that
   * happens to run the queue.
   */
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

  /** The number of waiting sessions. */
  synchronized int waitingCount() {
    return waiting.size();
  }
}
