package io.fjordmq.broker.session;

import io.netty.util.concurrent.Ticker;

/**
 * Limits how much work of one connection runs before other connections on its event loop continue:
 * by number of steps, matching effort and time, whichever is used up first. Event loop only.
 *
 * <p>The clock is only read every few steps, and not at all in a short slice. Expensive matches in
 * between are limited by the number of filter nodes they visit.
 */
final class TimeSlice {
  static final int MAX_STEPS = 256;

  /** Visiting this many nodes of the filter trie takes about half a millisecond. */
  static final int MAX_NODES = 8_192;

  private static final long MAX_NANOS = 1_000_000;
  private static final int STEPS_PER_CLOCK_READ = 8;

  private final Ticker ticker;
  private int steps;
  private int nodes;
  private long startNanos;
  private boolean usedUp;

  TimeSlice(Ticker ticker) {
    this.ticker = ticker;
  }

  void begin() {
    steps = 0;
    nodes = 0;
    usedUp = false;
  }

  /** Takes a step unless the slice is used up; returns whether it did. */
  boolean tryStep() {
    if (!usedUp) {
      usedUp = steps >= MAX_STEPS || nodes >= MAX_NODES || isOverTime();
      steps++;
    }
    return !usedUp;
  }

  private boolean isOverTime() {
    if (steps == 0 || steps % STEPS_PER_CLOCK_READ != 0) {
      return false;
    }
    long now = ticker.nanoTime();
    if (steps == STEPS_PER_CLOCK_READ) {
      startNanos = now;
    }
    return now - startNanos > MAX_NANOS;
  }

  /** Counts nodes of the filter trie that a match visited. */
  void addNodes(int more) {
    nodes += more;
  }
}
