package io.fjordmq.broker.delivery;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** An event loop whose tasks the test runs on its own thread. */
public final class ManualLoop implements Executor {
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

  /** Runs the task like an event of this loop. */
  public void run(Runnable task) {
    inside = true;
    try {
      task.run();
    } finally {
      inside = false;
    }
  }

  /** Runs the tasks that are queued now, not those they add. */
  public void runQueuedTasks() {
    for (int left = tasks.size(); left > 0; left--) {
      run(tasks.remove());
    }
  }

  public void runAll() {
    while (!tasks.isEmpty()) {
      run(tasks.remove());
    }
  }

  boolean isIdle() {
    return tasks.isEmpty();
  }

  public void close() {
    closed = true;
  }

  boolean isInside() {
    return inside;
  }

  /** Number of tasks scheduled so far. */
  public int scheduledCount() {
    return scheduled;
  }
}
