package io.fjordmq.range;

/** A monotonic clock and a scheduler; real or simulated. */
public interface Timers {
  /** Milliseconds since an arbitrary origin; never decreases. Not the wall clock. */
  long nowMillis();

  /** Runs the task once, after the delay. The task must not block. */
  void schedule(long delayMillis, Runnable task);
}
