package io.fjordmq.broker.delivery;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Exponential backoff for ended sessions whose messages no share member takes: they are announced
 * every 10 s, and an increasing number of announcements is ignored. Bounded: the session that was
 * not announced longest is evicted first, and then starts over. Thread-safe.
 *
 * @param <K> a session
 */
final class RedistributionBackoff<K> {
  /** Maximum pause in announcements; one every 10 s makes 5 minutes. */
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
   * No message was taken: the next pause is 10 s if it is the first, else twice the previous one.
   */
  synchronized void increase(K session) {
    Pause before = pauses.get(session);
    int next = before == null ? 1 : Math.min(2 * before.announcements, MAX_ANNOUNCEMENTS);
    pauses.put(session, new Pause(next, next));
    if (pauses.size() > maxSessions) {
      pauses.remove(pauses.keySet().iterator().next());
    }
  }

  /** Ends the backoff: a message was taken, or this node no longer handles the session. */
  synchronized void forget(K session) {
    pauses.remove(session);
  }

  /** Number of sessions in backoff. */
  synchronized int size() {
    return pauses.size();
  }
}
