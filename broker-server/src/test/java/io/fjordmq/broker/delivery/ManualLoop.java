package io.fjordmq.broker.delivery;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An event loop that runs when the test says so, on the test's thread. */
final class ManualLoop implements Executor {
  private final Queue<Runnable> tasks = new ArrayDeque<>();
  private boolean inside;
  private boolean closed;
  private int scheduled;

  @Override
  public void execute(Runnable task) {
    if (closed) {
      throw new RejectedExecutionException("event loop closed");
    }
    tasks.add(task);
    scheduled++;
  }

  /** Runs the task as if an event of this loop had come. */
  void run(Runnable task) {
    inside = true;
    try {
      task.run();
    } finally {
      inside = false;
    }
  }

  /** Runs the tasks that wait now, not those they bring. */
  void runTurn() {
    for (int left = tasks.size(); left > 0; left--) {
      run(tasks.remove());
    }
  }

  void runAll() {
    while (!tasks.isEmpty()) {
      run(tasks.remove());
    }
  }

  boolean isIdle() {
    return tasks.isEmpty();
  }

  void close() {
    closed = true;
  }

  boolean isInside() {
    return inside;
  }

  /** Tasks that were given to it so far. */
  int scheduled() {
    return scheduled;
  }
}
