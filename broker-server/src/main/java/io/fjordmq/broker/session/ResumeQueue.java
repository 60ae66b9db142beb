package io.fjordmq.broker.session;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many subscriptions of returning sessions this node re-establishes at once. Without it
 * a few sessions with thousands of filters each fill the queue of a route range, and every
 * SUBSCRIBE waits behind them. First come, first served: a session keeps its turn until it has all
 * its subscriptions, so that many large ones are not all served last. Thread-safe.
 */
final class ResumeQueue {
  private record Waiting(
      int weight, Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

  private final int atOnce;

  /** By session, in the order in which they came. */
  private final Map<Object, Waiting> waiting = new LinkedHashMap<>();

  private int running;

  /**
   * @param atOnce subscriptions under way at the same time
   */
  ResumeQueue(int atOnce) {
    this.atOnce = atOnce;
  }

  /**
   * Does the work when its turn comes: at once on the caller's thread, or later on the thread that
   * completed earlier work or took another session out of the queue.
   *
   * @param session takes one turn at a time
   * @param weight most subscriptions that it has under way at the same time; work that is heavier
   *     than all turns together runs alone
   * @return completes with the work, or when the session leaves the queue. Callers continue
   *     asynchronously
   */
  CompletableFuture<Void> run(Object session, int weight, Supplier<CompletableFuture<Void>> work) {
    Waiting mine = new Waiting(weight, work, new CompletableFuture<>());
    synchronized (this) {
      waiting.put(session, mine);
    }
    startWaiting();
    return mine.done;
  }

  /** The session has ended: if it waits for its turn, its work is not done. */
  void leave(Object session) {
    Waiting left;
    synchronized (this) {
      left = waiting.remove(session);
    }
    if (left != null) {
      left.done.complete(null);
      startWaiting(); // it may have been too heavy for those behind it
    }
  }

  private void startWaiting() {
    for (Waiting next = takeNext(); next != null; next = takeNext()) {
      CompletableFuture<Void> work = begin(next);
      Waiting started = next;
      if (work.isDone()) {
        finished(started, work); // go on in this loop, not deeper in the stack
      } else {
        work.whenComplete(
            (done, failure) -> {
              finished(started, work);
              startWaiting();
            });
      }
    }
  }

  /** One session's fault must not keep the turn, nor end what another one has called. */
  private static CompletableFuture<Void> begin(Waiting turn) {
    try {
      return turn.work.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private synchronized @Nullable Waiting takeNext() {
    Iterator<Waiting> queue = waiting.values().iterator();
    if (!queue.hasNext()) {
      return null;
    }
    Waiting next = queue.next();
    if (running > 0 && running + next.weight > atOnce) {
      return null;
    }
    running += next.weight;
    queue.remove();
    return next;
  }

  private void finished(Waiting turn, CompletableFuture<Void> work) {
    synchronized (this) {
      running -= turn.weight;
    }
    work.whenComplete(
        (done, failure) -> {
          if (failure == null) {
            turn.done.complete(null);
          } else {
            turn.done.completeExceptionally(failure);
          }
        });
  }

  /** Sessions that wait for their turn. */
  synchronized int waiting() {
    return waiting.size();
  }
}
