package io.fjordmq.broker.session;

import io.netty.util.concurrent.Ticker;

/**
 * Limits how much of one connection's work is done before others on its event loop get their turn,
 * by steps, by matching and by time, whichever is used up first. Event loop only.
 *
 * <p>The clock is read every few steps, and not at all in a slice of few steps. An expensive match
 * in between is counted by the filters' nodes it visited.
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
  private long begunNanos;
  private boolean usedUp;

  TimeSlice(Ticker ticker) {
    this.ticker = ticker;
  }

  void begin() {
    steps = 0;
    nodes = 0;
    usedUp = false;
  }

  /** Takes a step if the slice is not used up. */
  boolean step() {
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
      begunNanos = now;
    }
    return now - begunNanos > MAX_NANOS;
  }

  /** Counts the nodes of the filter trie that a match has visited. */
  void visited(int more) {
    nodes += more;
  }
}
