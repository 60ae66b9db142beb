package io.fjordmq.cluster.membership;

import java.util.concurrent.Executor;

/** One thread and its time; real or simulated. Tasks run one after the other, none may block. */
interface SerialTimers extends Executor {
  /** Milliseconds since some fixed moment; never runs backwards. Not the wall clock. */
  long nowMillis();

  /** Runs the task once, after the delay. */
  void schedule(long delayMillis, Runnable task);
}
