package io.fjordmq.range;

/** Time that passes and calls back; real or simulated. */
public interface Timers {
  /** Milliseconds since some fixed moment; never runs backwards. Not the wall clock. */
  long nowMillis();

  /** Runs the task once, after the delay. The task must not block. */
  void schedule(long delayMillis, Runnable task);
}
