package io.fjordmq.broker.rest;

import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;

/** Runs asynchronous steps one after another. */
final class SequentialSteps {
  private SequentialSteps() {}

  /**
   * Runs steps 0 to {@code count} - 1, each after the previous one has completed. Steps that
   * complete immediately do not deepen the stack.
   *
   * @param step runs on the caller's thread or on a thread that completed a step
   * @return fails at the first step that fails
   */
  static CompletableFuture<Void> run(int count, IntFunction<CompletableFuture<?>> step) {
    return run(0, count, step);
  }

  private static CompletableFuture<Void> run(
      int from, int count, IntFunction<CompletableFuture<?>> step) {
    for (int i = from; i < count; i++) {
      CompletableFuture<?> done = step.apply(i);
      if (!done.isDone() || done.isCompletedExceptionally()) {
        int next = i + 1;
        return done.thenCompose(result -> run(next, count, step));
      }
    }
    return CompletableFuture.completedFuture(null);
  }
}
