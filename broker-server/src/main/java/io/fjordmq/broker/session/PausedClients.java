package io.fjordmq.broker.session;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients that are not read because this node has no valid lease. The cluster may have marked the
 * node DOWN, so it must not act for them, but it need not disconnect them either. Each client
 * buffers at most one read. Thread-safe.
 */
final class PausedClients {
  private final ServingState servingState;

  /** Guarded by itself. In insertion order, so that simulated runs are repeatable. */
  private final Set<Connection> paused = new LinkedHashSet<>();

  PausedClients(ServingState servingState) {
    this.servingState = servingState;
  }

  boolean mayServe() {
    return servingState.refusedBecause() == null;
  }

  /**
   * Pauses the client until {@link #release}. If the lease was renewed since the caller checked,
   * there may be no further call of {@code release}, so this method makes it.
   */
  void add(Connection client) {
    synchronized (paused) {
      paused.add(client);
    }
    if (mayServe()) {
      release();
    }
  }

  void remove(Connection client) {
    synchronized (paused) {
      paused.remove(client);
    }
  }

  /** The node serves again. Any thread; called often, mostly while no client is paused. */
  void release() {
    List<Connection> released;
    synchronized (paused) {
      if (paused.isEmpty()) {
        return;
      }
      released = List.copyOf(paused);
      paused.clear();
    }
    released.forEach(client -> client.loop().execute(client::release));
  }
}
