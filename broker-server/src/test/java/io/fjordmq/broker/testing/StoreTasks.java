package io.fjordmq.broker.testing;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The executor of the in-memory stores: calls take effect in order when it runs, unless held. */
public final class StoreTasks {
  /**
   * @param fail notifies the caller that the call was not executed
   */
  private record Call(Runnable make, Consumer<RuntimeException> fail) {}

  private final boolean immediate;
  private final ArrayDeque<Call> calls = new ArrayDeque<>();
  private boolean held;
  private int released;
  private @Nullable Executor thread;

  /** Calls take effect when {@link #run} is called. */
  public StoreTasks() {
    this(false);
  }

  private StoreTasks(boolean immediate) {
    this.immediate = immediate;
  }

  /** Calls take effect and complete before they return, unless they are held. */
  public static StoreTasks immediate() {
    return new StoreTasks(true);
  }

  /** From now on calls take effect on this thread by themselves. */
  public synchronized void runOn(Executor thread) {
    this.thread = thread;
  }

  /** Holds all calls from now on. */
  public void hold() {
    held = true;
  }

  /** Lets this many calls take effect although others are held. */
  public void release(int calls) {
    released = calls;
  }

  public void resume() {
    held = false;
  }

  /** Fails all held calls and stops holding new ones. */
  public void failAll() {
    List<Call> lost = List.copyOf(calls);
    calls.clear();
    held = false;
    lost.forEach(call -> call.fail.accept(new IllegalStateException("the call was lost")));
  }

  <T> CompletableFuture<T> call(Supplier<T> effect) {
    CompletableFuture<T> future = new CompletableFuture<>();
    enqueueOrRun(
        new Call(
            () -> {
              try {
                future.complete(effect.get());
              } catch (RuntimeException e) {
                future.completeExceptionally(e);
              }
            },
            future::completeExceptionally));
    return future;
  }

  private void enqueueOrRun(Call call) {
    synchronized (this) {
      if (thread != null) {
        thread.execute(call.make);
        return;
      }
      if (!immediate || held) {
        calls.add(call);
        return;
      }
    }
    call.make.run();
  }

  /** Lets the oldest waiting call take effect although it is held. */
  public void releaseOne() {
    calls.remove().make.run();
  }

  /** Lets the oldest waiting call fail. */
  public void failOne(RuntimeException fault) {
    calls.remove().fail.accept(fault);
  }

  /** The number of held calls. */
  public synchronized int waiting() {
    return calls.size();
  }

  /** Runs the queued calls; returns whether there were any. */
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
