package io.fjordmq.broker.drain;

/** How many clients may be disconnected at a time, at a limited rate. Not thread-safe. */
final class Pace {
  /** How often some are due. */
  static final long STEP_MILLIS = 100;

  private final int perSecond;

  private boolean begun;

  /** Until when all have been counted. */
  private long lastMillis;

  /**
   * @param perSecond at least 1
   */
  Pace(int perSecond) {
    this.perSecond = perSecond;
  }

  /** Begins with those that are due in one step; returns false if it had begun before. */
  boolean begin(long nowMillis) {
    if (begun) {
      return false;
    }
    begun = true;
    lastMillis = nowMillis - STEP_MILLIS;
    return true;
  }

  /** How many are due since the last call; at most those of a second. */
  int due(long nowMillis) {
    long due = (nowMillis - lastMillis) * perSecond / 1_000;
    if (due > perSecond) {
      lastMillis = nowMillis;
      return perSecond;
    }
    lastMillis += due * 1_000 / perSecond; // what is left of a step counts in the next
    return (int) due;
  }

  void end() {
    begun = false;
  }
}
