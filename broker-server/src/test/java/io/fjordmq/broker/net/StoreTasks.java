package io.fjordmq.broker.net;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The thread of the fake stores: calls take effect when it runs, in order, or not while held. */
final class StoreTasks {
  /**
   * @param fail tells who waits that it does not happen
   */
  private record Call(Runnable make, Runnable fail) {}

  private final ArrayDeque<Call> calls = new ArrayDeque<>();
  private boolean held;
  private int released;
  private @Nullable Executor thread;

  /** From now on calls take effect on this thread by themselves. */
  synchronized void runOn(Executor thread) {
    this.thread = thread;
  }

  /** From now on nothing completes. */
  void hold() {
    held = true;
  }

  /** So many calls take effect although others are held. */
  void release(int calls) {
    released = calls;
  }

  void resume() {
    held = false;
  }

  /** What was held back never happens, and who waits is told; what comes from now on happens. */
  void lose() {
    List<Call> lost = List.copyOf(calls);
    calls.clear();
    held = false;
    lost.forEach(call -> call.fail.run());
  }

  <T> CompletableFuture<T> call(Supplier<T> effect) {
    CompletableFuture<T> future = new CompletableFuture<>();
    then(
        new Call(
            () -> {
              try {
                future.complete(effect.get());
              } catch (RuntimeException e) {
                future.completeExceptionally(e);
              }
            },
            () -> future.completeExceptionally(new IllegalStateException("the call was lost"))));
    return future;
  }

  private synchronized void then(Call call) {
    if (thread == null) {
      calls.add(call);
    } else {
      thread.execute(call.make);
    }
  }

  /** Calls that wait. */
  synchronized int waiting() {
    return calls.size();
  }

  /** Runs what waits; returns whether there was anything. */
  boolean run() {
    boolean any = false;
    while ((!held || released > 0) && !calls.isEmpty()) {
      released = Math.max(0, released - 1);
      calls.remove().make.run();
      any = true;
    }
    return any;
  }
}
