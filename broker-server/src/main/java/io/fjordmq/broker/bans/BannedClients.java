package io.fjordmq.broker.bans;

import java.util.Iterator;

/** Finds the banned clients among those connected to this node. */
@FunctionalInterface
public interface BannedClients {
  /**
   * Searches all connected clients as the iterator advances. Clients that connect during the search
   * may be missed; they are checked when they connect. Used by one thread, never an event loop.
   *
   * @return actions that each disconnect one client without blocking
   */
  Iterator<Runnable> search();
}
