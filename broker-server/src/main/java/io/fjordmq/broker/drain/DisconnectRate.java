package io.fjordmq.broker.drain;

/** Limits the number of clients disconnected per second. Not thread-safe. */
final class DisconnectRate {
  /** Interval between calls of {@link #due}. */
  static final long STEP_MILLIS = 100;

  private final int perSecond;

  private boolean started;

  /** The time up to which due clients have been counted. */
  private long lastMillis;

  /**
   * @param perSecond at least 1
   */
  DisconnectRate(int perSecond) {
    this.perSecond = perSecond;
  }

  /** Starts with the clients of one step due; returns false if it has already started. */
  boolean begin(long nowMillis) {
    if (started) {
      return false;
    }
    started = true;
    lastMillis = nowMillis - STEP_MILLIS;
    return true;
  }

  /** Number of clients due since the last call; at most one second's worth. */
  int due(long nowMillis) {
    long due = (nowMillis - lastMillis) * perSecond / 1_000;
    if (due > perSecond) {
      lastMillis = nowMillis;
      return perSecond;
    }
    lastMillis += due * 1_000 / perSecond; // the remainder counts in the next step
    return (int) due;
  }

  void end() {
    started = false;
  }
}
