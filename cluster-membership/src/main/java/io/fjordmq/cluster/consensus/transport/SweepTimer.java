package io.fjordmq.cluster.consensus.transport;

import io.netty.channel.Channel;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Checks for timeouts on the event loop of a channel when the first call can time out, instead of
 * periodically: most calls are answered before that, and an idle connection wakes no thread.
 */
final class SweepTimer {
  static final long NEVER = Long.MAX_VALUE;

  private final Channel channel;
  private final Runnable sweep;
  private final long createdNanos;
  private final AtomicLong nextNanos = new AtomicLong(NEVER);
  private @Nullable Future<?> scheduled;

  /**
   * @param sweep runs on the event loop; must call {@link #runAt} if calls are still pending
   */
  SweepTimer(Channel channel, Runnable sweep) {
    this.channel = channel;
    this.sweep = sweep;
    this.createdNanos = channel.eventLoop().ticker().nanoTime();
  }

  /** Returns the time on the event loop's clock since the timer was created. Thread-safe. */
  long nowNanos() {
    return channel.eventLoop().ticker().nanoTime() - createdNanos;
  }

  /**
   * Runs a sweep at this time unless one is due earlier. Does nothing if the time is {@link #NEVER}
   * or the channel is closed. Thread-safe; a call must be registered before its sweep is requested.
   */
  void runAt(long timeNanos) {
    long next = nextNanos.get();
    while (timeNanos < next) {
      if (nextNanos.compareAndSet(next, timeNanos)) {
        schedule();
        return;
      }
      next = nextNanos.get();
    }
  }

  private void schedule() {
    if (channel.eventLoop().inEventLoop()) {
      reschedule();
      return;
    }
    try {
      channel.eventLoop().execute(this::reschedule);
    } catch (RejectedExecutionException stopping) {
      nextNanos.set(NEVER); // the channel is closed
    }
  }

  /** Schedules the sweep for the earliest time requested so far. */
  private void reschedule() {
    cancel();
    long next = nextNanos.get();
    if (next != NEVER && channel.isActive()) {
      scheduled = channel.eventLoop().schedule(this::run, next - nowNanos(), TimeUnit.NANOSECONDS);
    }
  }

  private void run() {
    scheduled = null;
    nextNanos.set(NEVER); // a call that is added from now on schedules its own sweep
    sweep.run();
  }

  /** Cancels the scheduled sweep. Must be called on the event loop when the channel closes. */
  void cancel() {
    if (scheduled != null) {
      scheduled.cancel(false);
      scheduled = null;
    }
  }
}
