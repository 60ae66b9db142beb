package io.fjordmq.perf.benchmark;

/**
 * Finds the highest sustained rate: increases the rate by one half until one is not sustained, then
 * bisects a few times between the last success and the first failure.
 */
final class RateSearch {
  private static final int HALVINGS = 2;

  private final int maxRate;
  private int sustained;
  private int lowestFailed;
  private int next;
  private int halvings;
  private boolean done;

  /**
   * @param first first rate to try
   * @param maxRate highest rate to try
   */
  RateSearch(int first, int maxRate) {
    this.next = first;
    this.maxRate = maxRate;
  }

  /** Returns whether there is another rate to try. */
  boolean hasNext() {
    return !done;
  }

  /** Returns the rate to try. */
  int next() {
    return next;
  }

  /** Returns the highest sustained rate; 0 if there was none. */
  int sustainedRate() {
    return sustained;
  }

  /** Records whether the rate {@link #next} was sustained, and chooses the next one. */
  void recordAttempt(boolean isSustained) {
    if (isSustained) {
      sustained = next;
    } else {
      lowestFailed = next;
    }
    if (lowestFailed == 0) {
      done = sustained >= maxRate;
      next = Math.min(maxRate, sustained + Math.max(1, sustained / 2));
    } else {
      next = (sustained + lowestFailed) / 2;
      done = halvings++ == HALVINGS || next == sustained;
    }
  }
}
