package io.fjordmq.broker.net;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** The thread of the fake stores: calls take effect when it runs, in order, or not while held. */
final class StoreTasks {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean held;

  /** From now on nothing completes. */
  void hold() {
    held = true;
  }

  void resume() {
    held = false;
  }

  <T> CompletableFuture<T> call(Supplier<T> effect) {
    CompletableFuture<T> future = new CompletableFuture<>();
    tasks.add(
        () -> {
          try {
            future.complete(effect.get());
          } catch (RuntimeException e) {
            future.completeExceptionally(e);
          }
        });
    return future;
  }

  /** Runs a task that is no answer, e.g. a push, after those before it. */
  void then(Runnable task) {
    tasks.add(task);
  }

  /** Runs what waits; returns whether there was anything. */
  boolean run() {
    boolean any = false;
    while (!held && !tasks.isEmpty()) {
      tasks.remove().run();
      any = true;
    }
    return any;
  }

  int waiting() {
    return tasks.size();
  }
}
