package io.fjordmq.broker.net;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The thread of the fake stores: calls take effect when it runs, in order, or not while held. */
final class StoreTasks {
  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private boolean held;
  private @Nullable Executor thread;

  /** From now on calls take effect on this thread by themselves. */
  synchronized void runOn(Executor thread) {
    this.thread = thread;
  }

  /** From now on nothing completes. */
  void hold() {
    held = true;
  }

  void resume() {
    held = false;
  }

  /** What was held back never happens; what comes from now on does. */
  void lose() {
    tasks.clear();
    held = false;
  }

  <T> CompletableFuture<T> call(Supplier<T> effect) {
    CompletableFuture<T> future = new CompletableFuture<>();
    then(
        () -> {
          try {
            future.complete(effect.get());
          } catch (RuntimeException e) {
            future.completeExceptionally(e);
          }
        });
    return future;
  }

  private synchronized void then(Runnable task) {
    if (thread == null) {
      tasks.add(task);
    } else {
      thread.execute(task);
    }
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
}
