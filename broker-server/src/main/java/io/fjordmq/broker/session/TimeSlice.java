package io.fjordmq.broker.session;

import io.netty.util.concurrent.Ticker;

/**
 * Limits how much work one connection may do before other connections on its event loop continue.
 * The limits are a number of steps, the matching effort and the elapsed time, whichever is reached
 * first. Only used on the event loop.
 *
 * <p>The clock is only read every few steps, and not at all in a short slice. Between two clock
 * reads, the number of visited filter nodes limits the effort for expensive matches.
 */
final class TimeSlice {
  static final int MAX_STEPS = 256;

  /** The number of filter trie nodes that can be visited in about half a millisecond. */
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

  /** Takes a step unless the slice is used up; returns whether a step was taken. */
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

  /** Adds the number of filter trie nodes that a match has visited. */
  void addNodes(int more) {
    nodes += more;
  }
}
