package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Connections whose sessions have ended with an incarnation of this node. They are neither read nor
 * written until they are closed, one by one, so that their clients do not all reconnect at once.
 * Thread-safe.
 */
final class HeldConnections {
  /** Guarded by itself. In the order in which they are to be closed. */
  private final Set<Session> held = new LinkedHashSet<>();

  void addAll(Collection<Session> sessions) {
    synchronized (held) {
      held.addAll(sessions);
    }
  }

  /** Removes a connection that closes before its turn. */
  void remove(Session session) {
    synchronized (held) {
      held.remove(session);
    }
  }

  /** Removes and returns up to this many connections, those to be closed next. */
  List<Session> take(int atMost) {
    List<Session> next = new ArrayList<>();
    synchronized (held) {
      Iterator<Session> all = held.iterator();
      while (next.size() < atMost && all.hasNext()) {
        next.add(all.next());
        all.remove();
      }
    }
    return next;
  }

  boolean isEmpty() {
    return size() == 0;
  }

  int size() {
    synchronized (held) {
      return held.size();
    }
  }

  /** Number of connections whose sessions are not among these. */
  int sizeWithout(Set<Session> others) {
    synchronized (held) {
      return (int) held.stream().filter(session -> !others.contains(session)).count();
    }
  }
}
