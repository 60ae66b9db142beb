package io.fjordmq.range.client;

import io.fjordmq.common.Timers;

/**
 * Decides when the next batch of a range may start. Even a small batch costs a log entry, an fsync
 * and several thread hops, so under load a few milliseconds between batches make them fewer and
 * larger. A client that sends one command at a time never waits. Guarded by its batcher.
 */
final class BatchPacer {
  private final long intervalMillis;
  private final int flushCommands;
  private final Timers timers;
  private final Runnable onPauseEnd;
  private long lastMillis;
  private boolean busy;

  /** Whether a timer is scheduled; cleared on the timer thread. */
  private volatile boolean timerScheduled;

  /**
   * @param onPauseEnd called without locks at the end of a pause
   */
  BatchPacer(RangeClientSettings settings, Timers timers, Runnable onPauseEnd) {
    this.intervalMillis = settings.batchInterval().toMillis();
    this.flushCommands = settings.flushCommands();
    this.timers = timers;
    this.onPauseEnd = onPauseEnd;
  }

  /**
   * Returns whether this many queued commands have to wait; if so, the callback runs after the
   * pause.
   */
  boolean mustWait(int waiting) {
    if (!busy || waiting >= flushCommands) {
      return false;
    }
    long pause = lastMillis + intervalMillis - timers.nowMillis();
    if (pause > 0 && !timerScheduled) {
      timerScheduled = true;
      timers.schedule(pause, this::wake);
    }
    return pause > 0;
  }

  private void wake() {
    timerScheduled = false;
    onPauseEnd.run();
  }

  /** Must be called when a batch with this many commands starts. */
  void onBatchStarted(int commands) {
    lastMillis = timers.nowMillis();
    busy = commands > 1;
  }
}
