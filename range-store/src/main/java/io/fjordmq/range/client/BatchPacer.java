package io.fjordmq.range.client;

import io.fjordmq.common.Timers;
import java.util.concurrent.TimeUnit;

/**
 * Decides when the next batch of a range may start. Even a small batch costs a log entry, an fsync
 * and several thread hops, so under load a few milliseconds between batches make them fewer and
 * larger. A client that waits for each response before it sends the next command is never delayed.
 *
 * <p>The leader groups the batches of several nodes and responds to all of a group at the same
 * time, so it also tells each node when to send the next batch: the batches of all nodes then reach
 * the leader together. If a leader of an earlier version does not, and a batch took much longer
 * than usual, the pause is measured from its response, for the same purpose. Guarded by its
 * batcher.
 */
final class BatchPacer {
  /** Number of recent batches over which {@link #crowding} averages. */
  private static final int SMOOTHING = 8;

  private static final int SCALE = 256;

  /** A range is busy if at least one batch in five is crowded. */
  private static final int BUSY = SCALE / 5;

  /** Batches after which the shortest time has mostly been forgotten. */
  private static final int LATENCY_SMOOTHING = 64;

  /** The longest pause that a leader can impose, in intervals. */
  private static final int MAX_PACED_INTERVALS = 4;

  private final long intervalNanos;
  private final int flushCommands;
  private final Timers timers;
  private final Runnable onPauseEnd;
  private long startedNanos;
  private long dueNanos;
  private long shortestNanos = Long.MAX_VALUE;
  private int commandsInFlight;

  /**
   * Moving average, out of {@link #SCALE}, of whether a batch held several commands or others
   * arrived while it was in flight.
   */
  private int crowding;

  /** Whether a timer is scheduled; cleared without the lock when it fires. */
  private volatile boolean timerScheduled;

  private long timerDueNanos;

  /**
   * @param onPauseEnd called without locks at the end of a pause
   */
  BatchPacer(RangeClientSettings settings, Timers timers, Runnable onPauseEnd) {
    this.intervalNanos = settings.batchInterval().toNanos();
    this.flushCommands = settings.flushCommands();
    this.timers = timers;
    this.onPauseEnd = onPauseEnd;
    this.dueNanos = timers.nowNanos();
  }

  /** Returns whether several commands are usually in flight at the same time. */
  boolean isBusy() {
    return crowding >= BUSY && intervalNanos > 0;
  }

  /**
   * Returns whether this many queued commands have to wait; if so, the callback runs after the
   * pause.
   */
  boolean mustWait(int waiting) {
    if (!isBusy() || waiting >= flushCommands) {
      return false;
    }
    long now = timers.nowNanos();
    long pause = dueNanos - now;
    boolean late = now - timerDueNanos > 0; // the event loop that should run the timer is busy
    if (pause > 0 && (!timerScheduled || late)) {
      timerScheduled = true;
      timerDueNanos = dueNanos;
      timers.pauseNanos(pause, this::wake);
    }
    return pause > 0;
  }

  private void wake() {
    timerScheduled = false;
    onPauseEnd.run();
  }

  /** Must be called when a batch with this many commands starts. */
  void onBatchStarted(int commands) {
    commandsInFlight = commands;
    startedNanos = timers.nowNanos();
    dueNanos = startedNanos + intervalNanos;
  }

  /**
   * Must be called when the batch has been applied.
   *
   * @param othersArrived whether commands have been queued since it started
   * @param nextBatchMicros {@link io.fjordmq.range.RangeResult.Applied#nextBatchMicros}
   */
  void onBatchApplied(boolean othersArrived, long nextBatchMicros) {
    boolean crowded = commandsInFlight > 1 || othersArrived;
    crowding += ((crowded ? SCALE : 0) - crowding) / SMOOTHING;
    long now = timers.nowNanos();
    if (nextBatchMicros > 0) {
      long pause = TimeUnit.MICROSECONDS.toNanos(nextBatchMicros);
      dueNanos = now + Math.min(pause, MAX_PACED_INTERVALS * intervalNanos);
      return;
    }
    long nanos = now - startedNanos;
    shortestNanos =
        nanos < shortestNanos ? nanos : shortestNanos + (nanos - shortestNanos) / LATENCY_SMOOTHING;
    long excess = nanos - shortestNanos;
    dueNanos = startedNanos + intervalNanos + (excess > intervalNanos / 8 ? excess : 0);
  }
}
