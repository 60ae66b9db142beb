package io.fjordmq.broker.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients that are not read because this node has no valid lease: another node may have counted it
 * as down, so it must not act for them, but need not disconnect them either. Each holds at most one
 * read. Thread-safe.
 */
final class PausedClients {
  private final ServingState servingState;

  /** Guarded by itself; in order of arrival, so that simulated runs are repeatable. */
  private final Set<Connection> held = new LinkedHashSet<>();

  PausedClients(ServingState servingState) {
    this.servingState = servingState;
  }

  boolean mayServe() {
    return servingState.refusedBecause() == null;
  }

  /**
   * Holds the client until {@link #release}. If the lease was renewed since the caller checked, no
   * other call may follow, so this one releases the client.
   */
  void add(Connection client) {
    synchronized (held) {
      held.add(client);
    }
    if (mayServe()) {
      release();
    }
  }

  void remove(Connection client) {
    synchronized (held) {
      held.remove(client);
    }
  }

  /** The node serves again. Any thread; called often, mostly while nobody is held. */
  void release() {
    List<Connection> released;
    synchronized (held) {
      if (held.isEmpty()) {
        return;
      }
      released = List.copyOf(held);
      held.clear();
    }
    released.forEach(client -> client.loop().execute(client::release));
  }
}
