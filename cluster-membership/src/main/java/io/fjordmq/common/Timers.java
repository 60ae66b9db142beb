package io.fjordmq.common;

import java.util.concurrent.Executor;

/**
 * A monotonic clock and a thread with timers, in real or simulated time. Tasks run one at a time
 * and must not block. Sessions use the timers of their event loop instead.
 */
public interface Timers extends Executor {
  /**
   * Returns the number of milliseconds since an arbitrary origin; never decreases. Not the wall
   * clock.
   */
  long nowMillis();

  /** Runs the task once, after the delay, unless the node stops before that. */
  void schedule(long delayMillis, Runnable task);

  /** Runs the task once, after those that are already due. */
  @Override
  default void execute(Runnable task) {
    schedule(0, task);
  }
}
