package io.fjordmq.broker.drain;

import java.util.function.IntSupplier;

/** Limits the number of clients disconnected per second. Not thread-safe. */
final class DisconnectLimiter {
  /** The interval between calls to {@link #due}. */
  static final long STEP_MILLIS = 100;

  private final IntSupplier rate;

  private boolean started;

  /** The time up to which {@link #due} has accounted for disconnects. */
  private long lastMillis;

  /**
   * @param rate supplies the current number of clients per second, at least 1
   */
  DisconnectLimiter(IntSupplier rate) {
    this.rate = rate;
  }

  /**
   * Starts with one step's worth of disconnects already due; returns false if it was already
   * started.
   */
  boolean begin(long nowMillis) {
    if (started) {
      return false;
    }
    started = true;
    lastMillis = nowMillis - STEP_MILLIS;
    return true;
  }

  /**
   * Returns the number of disconnects that have become due since the previous call; at most one
   * second's worth.
   */
  int due(long nowMillis) {
    int perSecond = rate.getAsInt();
    long due = (nowMillis - lastMillis) * perSecond / 1_000;
    if (due > perSecond) {
      lastMillis = nowMillis;
      return perSecond;
    }
    lastMillis += due * 1_000 / perSecond; // the remainder carries over to the next step
    return (int) due;
  }

  void end() {
    started = false;
  }
}
