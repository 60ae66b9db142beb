package io.fjordmq.broker.session;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Connections whose sessions ended with an incarnation of this node. The connections are closed one
 * by one, so that their clients do not all reconnect at once; until then, nothing is read from or
 * written to them. Thread-safe.
 */
final class HeldConnections {
  /** The held connections in the order in which they will be closed. Guarded by its own monitor. */
  private final Set<Session> held = new LinkedHashSet<>();

  void addAll(Collection<Session> sessions) {
    synchronized (held) {
      held.addAll(sessions);
    }
  }

  /** Removes a connection that was closed before its turn. */
  void remove(Session session) {
    synchronized (held) {
      held.remove(session);
    }
  }

  /** Removes and returns up to this many connections, which are to be closed next. */
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

  /** The number of held connections whose sessions are not in the given set. */
  int sizeWithout(Set<Session> excluded) {
    synchronized (held) {
      return (int) held.stream().filter(session -> !excluded.contains(session)).count();
    }
  }
}
