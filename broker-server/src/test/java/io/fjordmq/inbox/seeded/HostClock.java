package io.fjordmq.inbox.seeded;

/** Used by replicated code, although it is not a function of the state and the entry. */
final class HostClock {
  private HostClock() {}

  static long millis() {
    return System.currentTimeMillis();
  }
}
