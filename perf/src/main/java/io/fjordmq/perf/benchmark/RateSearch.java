package io.fjordmq.perf.benchmark;

/**
 * Finds the highest sustained rate: increases by one half until a rate fails, then bisects a few
 * times between the last success and the first failure.
 */
final class RateSearch {
  private static final int HALVINGS = 2;

  private final int most;
  private int held;
  private int failed;
  private int next;
  private int halvings;
  private boolean ended;

  /**
   * @param first first rate to try
   * @param most highest rate to try
   */
  RateSearch(int first, int most) {
    this.next = first;
    this.most = most;
  }

  /** Whether there is another rate to try. */
  boolean hasNext() {
    return !ended;
  }

  /** The rate to try. */
  int next() {
    return next;
  }

  /** The highest sustained rate; 0 if there was none. */
  int sustainedRate() {
    return held;
  }

  /** Reports the result of trying {@link #next}. */
  void tried(boolean wasHeld) {
    if (wasHeld) {
      held = next;
    } else {
      failed = next;
    }
    if (failed == 0) {
      ended = held >= most;
      next = Math.min(most, held + Math.max(1, held / 2));
    } else {
      next = (held + failed) / 2;
      ended = halvings++ == HALVINGS || next == held;
    }
  }
}
