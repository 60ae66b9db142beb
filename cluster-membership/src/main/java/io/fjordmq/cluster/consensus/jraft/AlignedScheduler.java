package io.fjordmq.cluster.consensus.jraft;

import com.alipay.sofa.jraft.core.Scheduler;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The timers of one group's replicators. The heartbeats of all groups of a node fall due together:
 * at multiples of the heartbeat interval. So one wake-up sends them, and those to one peer share a
 * packet. jraft sets a timer for each heartbeat to each follower, and their phases would drift.
 *
 * <p>A heartbeat is due one interval after the response to the previous one. It fires at the last
 * multiple of the interval before that, thus early by the round-trip time. Retries of a replicator,
 * which wait for the same time, are aligned as well. Longer delays are not changed.
 *
 * <p>Thread-safe; does not block.
 */
final class AlignedScheduler implements Scheduler {
  /** jraft counts in whole milliseconds of the wall clock, so its delays can be this inaccurate. */
  private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Scheduler scheduler;
  private final long intervalNanos;
  private final LongSupplier nanoTime;

  /**
   * @param intervalMillis the heartbeat interval of the group
   */
  AlignedScheduler(Scheduler scheduler, long intervalMillis, LongSupplier nanoTime) {
    this.scheduler = scheduler;
    this.intervalNanos = TimeUnit.MILLISECONDS.toNanos(intervalMillis);
    this.nanoTime = nanoTime;
  }

  @Override
  public ScheduledFuture<?> schedule(Runnable command, long delay, TimeUnit unit) {
    return scheduler.schedule(command, aligned(unit.toNanos(delay)), TimeUnit.NANOSECONDS);
  }

  /**
   * Returns the delay until the last multiple of the interval that is at most 2 ms after the end of
   * the given delay; the given delay if that multiple is in the past.
   */
  private long aligned(long delayNanos) {
    if (delayNanos > intervalNanos) {
      return delayNanos;
    }
    long now = nanoTime.getAsLong();
    long due = now + delayNanos + TOLERANCE_NANOS;
    long aligned = due - Math.floorMod(due, intervalNanos) - now;
    return aligned > 0 ? aligned : delayNanos;
  }

  @Override
  public ScheduledFuture<?> scheduleAtFixedRate(
      Runnable command, long initialDelay, long period, TimeUnit unit) {
    return scheduler.scheduleAtFixedRate(command, initialDelay, period, unit);
  }

  @Override
  public ScheduledFuture<?> scheduleWithFixedDelay(
      Runnable command, long initialDelay, long delay, TimeUnit unit) {
    return scheduler.scheduleWithFixedDelay(command, initialDelay, delay, unit);
  }

  @Override
  public void shutdown() {
    scheduler.shutdown();
  }
}
