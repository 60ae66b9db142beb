package io.fjordmq.broker.bans;

import java.util.Iterator;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the clients connected to this node that may no longer be connected. */
@FunctionalInterface
public interface DisconnectSearch {
  /**
   * Searches connected clients as the iterator advances. Clients that connect during the search may
   * be missed; they are checked when they connect. Used by one thread, never an event loop.
   *
   * @param users only clients of these users; null for all clients
   * @return actions that each disconnect one client without blocking
   */
  Iterator<Runnable> search(@Nullable Set<String> users);
}
