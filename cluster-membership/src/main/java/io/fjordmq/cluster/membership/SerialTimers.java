package io.fjordmq.cluster.membership;

import java.util.concurrent.Executor;

/**
 * One thread with timers, in real or simulated time. Tasks run one at a time and must not block.
 */
interface SerialTimers extends Executor {
  /** Monotonic time in milliseconds since an arbitrary moment; not the wall clock. */
  long nowMillis();

  /** Runs the task once, after the delay. */
  void schedule(long delayMillis, Runnable task);
}
