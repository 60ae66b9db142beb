package io.fjordmq.broker.session;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Bounds how many subscriptions of returning sessions this node re-establishes at once. Without it
 * a few sessions with thousands of filters each fill the queue of a route range, and every
 * SUBSCRIBE waits behind them. First come, first served; a session takes its next turn when it has
 * completed the last one. Thread-safe.
 */
final class ResumeTurns {
  private record Waiting(
      int weight, Supplier<CompletableFuture<Void>> work, CompletableFuture<Void> done) {}

  private final int atOnce;
  private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
  private int running;

  /**
   * @param atOnce subscriptions under way at the same time
   */
  ResumeTurns(int atOnce) {
    this.atOnce = atOnce;
  }

  /**
   * Does the work when its turn comes: at once on the caller's thread, or later on the thread that
   * completed earlier work.
   *
   * @param weight subscriptions; work that is heavier than all turns together runs alone
   * @return completes with the work. Callers continue asynchronously
   */
  CompletableFuture<Void> run(int weight, Supplier<CompletableFuture<Void>> work) {
    Waiting mine = new Waiting(weight, work, new CompletableFuture<>());
    synchronized (this) {
      waiting.add(mine);
    }
    startWaiting();
    return mine.done;
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
    Waiting next = waiting.peek();
    if (next == null || (running > 0 && running + next.weight > atOnce)) {
      return null;
    }
    running += next.weight;
    return waiting.remove();
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

  /** Work that waits for its turn. */
  synchronized int waiting() {
    return waiting.size();
  }
}
