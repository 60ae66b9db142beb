package io.fjordmq.broker.delivery;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Exponential backoff for ended sessions whose messages no share member accepts. The store
 * announces such a session every 10 s, and the backoff ignores an increasing number of
 * announcements. The number of sessions is bounded: the least recently announced session is
 * evicted, and its backoff starts over. Thread-safe.
 *
 * @param <K> the type that identifies a session
 */
final class RedistributionBackoff<K> {
  /**
   * The maximum number of announcements per pause, which is 5 minutes at one announcement every 10
   * s.
   */
  private static final int MAX_ANNOUNCEMENTS = 30;

  /**
   * @param announcements number of announcements between two attempts
   * @param remaining number of announcements until the next attempt
   */
  private record Pause(int announcements, int remaining) {}

  private final int maxSessions;
  private final Map<K, Pause> pauses = new LinkedHashMap<>(16, 0.75f, true);

  RedistributionBackoff(int maxSessions) {
    this.maxSessions = maxSessions;
  }

  /** Records an announcement; returns whether to try the session's messages now. */
  synchronized boolean recordAnnouncement(K session) {
    Pause pause = pauses.get(session);
    if (pause == null || pause.remaining <= 1) {
      return true;
    }
    pauses.put(session, new Pause(pause.announcements, pause.remaining - 1));
    return false;
  }

  /**
   * Lengthens the pause because no message was accepted: the first pause is 10 s, and each
   * following pause is twice as long as the previous one.
   */
  synchronized void increase(K session) {
    Pause before = pauses.get(session);
    int next = before == null ? 1 : Math.min(2 * before.announcements, MAX_ANNOUNCEMENTS);
    pauses.put(session, new Pause(next, next));
    if (pauses.size() > maxSessions) {
      pauses.remove(pauses.keySet().iterator().next());
    }
  }

  /** Ends the backoff because a message was accepted or this node no longer handles the session. */
  synchronized void forget(K session) {
    pauses.remove(session);
  }

  /** The number of sessions in backoff. */
  synchronized int size() {
    return pauses.size();
  }
}
