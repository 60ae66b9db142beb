package io.fjordmq.broker.delivery;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How long ended sessions wait whose messages nobody takes: their announcements come every 10 s,
 * and more and more of them are ignored. Bounded; the session longest not announced is forgotten
 * first and begins anew. Thread-safe.
 *
 * @param <K> a session
 */
final class LeftMessageBackoff<K> {
  /** Of 10 s each: 5 minutes. */
  private static final int MAX_ANNOUNCEMENTS = 30;

  /**
   * @param announcements from one attempt to the next
   * @param left of them until the next attempt
   */
  private record Pause(int announcements, int left) {}

  private final int maxSessions;
  private final Map<K, Pause> pauses = new LinkedHashMap<>(16, 0.75f, true);

  LeftMessageBackoff(int maxSessions) {
    this.maxSessions = maxSessions;
  }

  /** The session was announced: whether its messages are to be tried now. */
  synchronized boolean isOver(K session) {
    Pause pause = pauses.get(session);
    if (pause == null || pause.left <= 1) {
      return true;
    }
    pauses.put(session, new Pause(pause.announcements, pause.left - 1));
    return false;
  }

  /** Nobody took any message: the next pause is 10 s if it is the first, else twice the last. */
  synchronized void grow(K session) {
    Pause before = pauses.get(session);
    int next = before == null ? 1 : Math.min(2 * before.announcements, MAX_ANNOUNCEMENTS);
    pauses.put(session, new Pause(next, next));
    if (pauses.size() > maxSessions) {
      pauses.remove(pauses.keySet().iterator().next());
    }
  }

  /** Somebody took one, or the session is no more, or is another node's. */
  synchronized void forget(K session) {
    pauses.remove(session);
  }

  /** Sessions that wait. */
  synchronized int size() {
    return pauses.size();
  }
}
