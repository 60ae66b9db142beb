package io.fjordmq.perf;

/**
 * Finds the highest rate that is held: upwards by halves until one is not, then between the last
 * that was and the first that was not, a few times.
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
   * @param first rate to try
   * @param most no higher rate is tried
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

  /** The highest rate that was held; 0 if none was. */
  int held() {
    return held;
  }

  /** What came of trying {@link #next}. */
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
