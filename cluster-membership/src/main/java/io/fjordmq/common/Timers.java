package io.fjordmq.common;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

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

  /** Like {@link #nowMillis}, in nanoseconds; simulated time advances by whole milliseconds. */
  default long nowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(nowMillis());
  }

  /** Like {@link #schedule}; simulated time rounds the delay up to whole milliseconds. */
  default void scheduleNanos(long delayNanos, Runnable task) {
    schedule(TimeUnit.NANOSECONDS.toMillis(delayNanos + 999_999), task);
  }

  /**
   * Like {@link #scheduleNanos}, but the task may run at the same time as others: if the caller
   * runs on an event loop, so does the task, which saves waking another thread twice. Meant for
   * pauses of a few milliseconds; use it only where a loop that is busy for longer does no harm.
   */
  default void pauseNanos(long delayNanos, Runnable task) {
    scheduleNanos(delayNanos, task);
  }

  /** Runs the task once, after those that are already due. */
  @Override
  default void execute(Runnable task) {
    schedule(0, task);
  }
}
