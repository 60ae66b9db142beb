package io.fjordmq.broker.session;

import io.netty.channel.EventLoop;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Clients that are not read because this node has no valid lease. The cluster may have marked the
 * node DOWN, so it must not act for them, but it need not disconnect them either. Each client
 * buffers at most one read. Thread-safe.
 */
final class PausedClients {
  /** A client that can be paused. */
  interface Client {
    EventLoop loop();

    /** Continues after the lease was renewed. On its event loop. */
    void resume();
  }

  private final ServingState servingState;

  /** Guarded by itself. In insertion order, so that simulated runs are repeatable. */
  private final Set<Client> paused = new LinkedHashSet<>();

  PausedClients(ServingState servingState) {
    this.servingState = servingState;
  }

  boolean mayServe() {
    return servingState.notServingReason() == null;
  }

  /**
   * Pauses the client until {@link #resumeAll}. If the lease was renewed since the caller checked,
   * there may be no further call of {@code resumeAll}, so this method makes it.
   */
  void add(Client client) {
    synchronized (paused) {
      paused.add(client);
    }
    if (mayServe()) {
      resumeAll();
    }
  }

  void remove(Client client) {
    synchronized (paused) {
      paused.remove(client);
    }
  }

  /** The node serves again. Any thread; called often, mostly while no client is paused. */
  void resumeAll() {
    List<Client> released;
    synchronized (paused) {
      if (paused.isEmpty()) {
        return;
      }
      released = List.copyOf(paused);
      paused.clear();
    }
    released.forEach(client -> client.loop().execute(client::resume));
  }
}
