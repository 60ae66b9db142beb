package io.fjordmq.range.client;

import io.fjordmq.range.Timers;

/**
 * When the next batch of a range may start. A batch costs its log entry, its fsync and several
 * thread hops however little it holds: under load a few milliseconds between batches make them
 * fewer and fatter. Who sends one command at a time never waits. Guarded by its batcher.
 */
final class BatchPacer {
  private final long intervalMillis;
  private final int hurryCommands;
  private final Timers timers;
  private final Runnable whenOver;
  private long lastMillis;
  private boolean busy;

  /** A timer runs; cleared on its thread. */
  private volatile boolean waking;

  /**
   * @param whenOver called without locks when a pause is over
   */
  BatchPacer(RangeClientSettings settings, Timers timers, Runnable whenOver) {
    this.intervalMillis = settings.batchInterval().toMillis();
    this.hurryCommands = settings.hurryCommands();
    this.timers = timers;
    this.whenOver = whenOver;
  }

  /** Whether so many waiting commands have to wait on; if so the end of the pause is told. */
  boolean mustWait(int waiting) {
    if (!busy || waiting >= hurryCommands) {
      return false;
    }
    long pause = lastMillis + intervalMillis - timers.nowMillis();
    if (pause > 0 && !waking) {
      waking = true;
      timers.schedule(pause, this::wake);
    }
    return pause > 0;
  }

  private void wake() {
    waking = false;
    whenOver.run();
  }

  /** A batch of so many commands starts. */
  void started(int commands) {
    lastMillis = timers.nowMillis();
    busy = commands > 1;
  }
}
